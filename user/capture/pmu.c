// SPDX-License-Identifier: GPL-2.0-or-later
/* Small files are read whole; names of files are made of letters that lead nowhere else. */
#include "capture/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/mem.h"
#include "util/near_name.h"

enum { MAX_NAME = 64, MAX_FILE = 1024, MAX_TERMS = 512, MAX_LIST = 160 };

struct pmu {
	const char *root;
	char name[MAX_NAME];
	const char *text; /* as it was typed, for messages */
};

/* A term's bits. */
struct bits {
	size_t word; /* of config[] */
	uint64_t mask;
};

static bool is_name(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("_-", s[i]) && !(i && s[i] == '.'))
			return false;
	return len && len < MAX_NAME;
}

/* root/PMU/dir/name, the newline left off; -errno when it cannot be read. */
static int read_text(const struct pmu *pmu, const char *dir, const char *name, char to[MAX_FILE])
{
	_cleanup_free_ char *path =
		xasprintf("%s/%s/%s%s%s", pmu->root, pmu->name, dir, *dir ? "/" : "", name);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *end;

	memset(to, 0, MAX_FILE);
	if (fd < 0 || read(fd, to, MAX_FILE - 1) < 0)
		return -errno;
	end = strchr(to, '\n');
	if (end)
		*end = '\0';
	return 0;
}

static bool parse_number(const char *s, uint64_t *ret_value)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*ret_value = strtoull(s, &end, 0);
	return !*end && !errno;
}

static bool parse_bit(const char **s, unsigned int *ret_bit)
{
	char *end;
	unsigned long bit = isdigit((unsigned char)**s) ? strtoul(*s, &end, 10) : 64;

	if (bit > 63)
		return false;
	*s = end;
	*ret_bit = bit;
	return true;
}

/* "0-7,32-35" */
static bool parse_ranges(const char *s, uint64_t *ret_mask)
{
	uint64_t mask = 0;

	for (;;) {
		unsigned int first, last;

		if (!parse_bit(&s, &first))
			return false;
		last = first;
		if (*s == '-') {
			s++;
			if (!parse_bit(&s, &last))
				return false;
		}
		if (last < first)
			return false;
		mask |= UINT64_MAX >> (63 - (last - first)) << first;
		if (*s != ',')
			break;
		s++;
	}
	*ret_mask = mask;
	return !*s;
}

/* "config1:0-7" */
static bool parse_format(const char *text, struct bits *ret_bits)
{
	static const char word[] = "config";
	const char *colon = strchr(text, ':');
	size_t len = sizeof(word) - 1, nr = 0;

	if (!colon || strncmp(text, word, len) != 0)
		return false;
	if (text + len < colon)
		nr = text[len] - '0';
	if (colon - text > (ptrdiff_t)len + 1 || nr >= PMU_NR_CONFIGS)
		return false;
	ret_bits->word = nr;
	return parse_ranges(colon + 1, &ret_bits->mask);
}

/* config, config1, config2: all of the word. */
static bool is_word(const char *term, struct bits *ret_bits)
{
	_cleanup_free_ char *text = xasprintf("%s:0-63", term);

	return parse_format(text, ret_bits);
}

/* The i-th bit of the value becomes the i-th one of the mask. */
static bool put(const struct bits *bits, uint64_t value, uint64_t config[PMU_NR_CONFIGS])
{
	uint64_t *to = &config[bits->word];

	*to &= ~bits->mask;
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(bits->mask >> bit & 1))
			continue;
		*to |= (value & 1) << bit;
		value >>= 1;
	}
	return !value;
}

/* Names of files, sorted. */
struct listing {
	struct dirent **files;
	int nr; /* negative: they cannot be read */
	char text[MAX_LIST];
};

static void listing_deinit(struct listing *l)
{
	for (int i = 0; i < l->nr; i++)
		free(l->files[i]);
	free(l->files);
}
#define _cleanup_listing_ __attribute__((cleanup(listing_deinit)))

/* "cycles.scale" is no event. */
static int is_listed(const struct dirent *e)
{
	return !strchr(e->d_name, '.');
}

/* What is in a directory, for a message; near names are valid as long as it is. */
static void list_names(const struct pmu *pmu, const char *dir, struct near_name *near,
		       struct listing *l)
{
	_cleanup_free_ char *path = xasprintf("%s/%s/%s", pmu->root, pmu->name, dir);
	size_t len = 0;

	l->nr = scandir(path, &l->files, is_listed, alphasort);
	snprintf(l->text, sizeof(l->text), "none");
	for (int i = 0; i < l->nr; i++) {
		const char *name = l->files[i]->d_name;

		near_name_offer(near, name);
		if (len + strlen(name) + sizeof(", , ...") > sizeof(l->text))
			continue;
		len += snprintf(l->text + len, sizeof(l->text) - len, "%s%s", len ? ", " : "",
				name);
	}
}

static int term_unknown(const struct pmu *pmu, const char *term, struct diag *ret_diag)
{
	_cleanup_listing_ struct listing terms = { 0 }, events = { 0 };
	struct near_name near = { .typed = term };
	char hint[NEAR_NAME_BYTES];

	if (!strcmp(term, "period") || !strcmp(term, "freq"))
		return diag_set(ret_diag, EINVAL, "event '%s': '%s': --count or --freq says it",
				pmu->text, term);
	list_names(pmu, "format", &near, &terms);
	list_names(pmu, "events", &near, &events);
	near_name_hint(&near, "", hint);
	return diag_set(ret_diag, EINVAL,
			"event '%s': '%s' is no term (%s) and no event (%s) of the PMU %s%s",
			pmu->text, term, terms.text, events.text, pmu->name, hint);
}

/* value NULL: none was given.  1: it is not a term of the PMU's. */
static int add_term(const struct pmu *pmu, const char *term, const char *value,
		    struct pmu_event *event, struct diag *ret_diag)
{
	char text[MAX_FILE];
	struct bits bits;
	uint64_t number = 1;

	if (!is_word(term, &bits)) {
		if (read_text(pmu, "format", term, text) < 0)
			return 1;
		if (!parse_format(text, &bits))
			return diag_set(ret_diag, EINVAL,
					"event '%s': where '%s' goes is not understood: '%s'",
					pmu->text, term, text);
	}
	if (value && !strcmp(value, "?"))
		return diag_set(ret_diag, EINVAL, "event '%s': needs %s=VALUE", pmu->text, term);
	if (value && !parse_number(value, &number))
		return diag_set(ret_diag, EINVAL, "event '%s': %s=%s: '%s' is no number", pmu->text,
				term, value, value);
	if (!put(&bits, number, event->config))
		return diag_set(ret_diag, EINVAL, "event '%s': %s=%s: there are %d bits for it",
				pmu->text, term, value, __builtin_popcountll(bits.mask));
	return 0;
}

/* One of terms; *ret_rest is behind it.  1: "NAME" is not a term, and stands in name. */
static int add_next(const struct pmu *pmu, char *terms, struct pmu_event *event, char **ret_rest,
		    struct diag *ret_diag)
{
	size_t len = strcspn(terms, ",");
	char *value;
	int r;

	*ret_rest = terms + len + !!terms[len];
	terms[len] = '\0';
	value = strchr(terms, '=');
	if (value)
		*value++ = '\0';
	if (!is_name(terms, strlen(terms)))
		return diag_set(ret_diag, EINVAL, "event '%s': a term has no name", pmu->text);
	r = add_term(pmu, terms, value, event, ret_diag);
	return r == 1 && value ? term_unknown(pmu, terms, ret_diag) : r;
}

/* The terms that an event's name stands for. */
static int add_event(const struct pmu *pmu, const char *name, struct pmu_event *event,
		     struct diag *ret_diag)
{
	char text[MAX_FILE], *rest = text;

	if (strchr(name, '.') || read_text(pmu, "events", name, text) < 0)
		return term_unknown(pmu, name, ret_diag);
	while (*rest) {
		int r = add_next(pmu, rest, event, &rest, ret_diag);

		if (r < 0)
			return r;
		if (r > 0)
			return diag_set(ret_diag, EINVAL,
					"event '%s': what '%s' stands for is not understood",
					pmu->text, name);
	}
	return 0;
}

/* Which PMUs there are. */
static int no_pmu(const struct pmu *pmu, struct diag *ret_diag)
{
	const struct pmu all = { .root = pmu->root, .name = "." };
	_cleanup_listing_ struct listing list = { 0 };
	struct near_name near = { .typed = pmu->name };
	char hint[NEAR_NAME_BYTES];

	list_names(&all, ".", &near, &list);
	near_name_hint(&near, "", hint);
	return diag_set(ret_diag, ENOENT, "event '%s': this machine has no PMU '%s' (%s)%s",
			pmu->text, pmu->name, list.text, hint);
}

int pmu_parse(const char *root, const char *text, struct pmu_event *ret_event,
	      struct diag *ret_diag)
{
	struct pmu pmu = { .root = root, .text = text };
	struct pmu_event event = { 0 };
	const char *end = strrchr(text, '/');
	size_t len = strcspn(text, "/");
	char type[MAX_FILE], terms[MAX_TERMS], *rest = terms;
	uint64_t number;

	if (!is_name(text, len) || end <= text + len)
		return diag_set(ret_diag, EINVAL, "event '%s': PMU/TERMS/ it would be", text);
	snprintf(pmu.name, sizeof(pmu.name), "%.*s", (int)len, text);
	len = end - text - len - 1;
	if (len >= sizeof(terms))
		return diag_set(ret_diag, EINVAL, "event '%s': too long", text);
	snprintf(terms, sizeof(terms), "%.*s", (int)len, end - len);
	if (read_text(&pmu, "", "type", type) < 0 || !parse_number(type, &number) ||
	    number > UINT32_MAX)
		return no_pmu(&pmu, ret_diag);
	event.type = number;
	if (!*terms)
		return diag_set(ret_diag, EINVAL, "event '%s': no term between the slashes", text);
	while (*rest) {
		const char *name = rest;
		int r = add_next(&pmu, rest, &event, &rest, ret_diag);

		if (r == 1)
			r = add_event(&pmu, name, &event, ret_diag);
		if (r < 0)
			return r;
	}
	*ret_event = event;
	return 0;
}

unsigned int pmu_max_precise(const char *root)
{
	static const char *const names[] = { "cpu", "cpu_core" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct pmu pmu = { .root = root };
		char text[MAX_FILE];
		uint64_t max;

		snprintf(pmu.name, sizeof(pmu.name), "%s", names[i]);
		if (!read_text(&pmu, "caps", "max_precise", text) && parse_number(text, &max))
			return max > 3 ? 3 : max;
	}
	return 0;
}
