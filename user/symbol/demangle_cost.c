// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk that a demangler of Rust's v0 scheme (RFC 2603) makes, without writing anything: what is
 * referred back to is walked again, as often as it is referred to, until the steps are used up.
 * A number can stand for 2^60 lifetimes, and a printer that skips a part still counts them.
 */
#include "symbol/demangle_cost.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MAX_STEPS      65536
#define MAX_DEPTH      256
#define MAX_CXX_LEVELS 6
#define MAX_CXX_SCOPES 2

struct walk {
	const char *start, *at; /* start: behind "_R", what references count from */
	unsigned int steps, depth;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool take(struct walk *w, char c)
{
	if (*w->at != c)
		return false;
	w->at++;
	return true;
}

static bool step(struct walk *w, uint64_t n)
{
	if (n >= MAX_STEPS || w->steps + n >= MAX_STEPS)
		return false;
	w->steps += n;
	return true;
}

/* Digits of base 62 and "_": none is 0, else one more than they say; what is too large stays so. */
static bool number(struct walk *w, uint64_t *ret)
{
	uint64_t n = 0;

	if (take(w, '_')) {
		*ret = 0;
		return true;
	}
	for (; *w->at != '_'; w->at++) {
		char c = *w->at;
		unsigned int digit = is_digit(c)	    ? c - '0'
				     : is_lower(c)	    ? c - 'a' + 10
				     : c >= 'A' && c <= 'Z' ? c - 'A' + 36
							    : 62;

		if (digit == 62)
			return false;
		n = n > UINT64_MAX / 128 ? UINT64_MAX / 2 : n * 62 + digit;
	}
	w->at++;
	*ret = n + 1;
	return true;
}

static bool optional_number(struct walk *w, char tag, uint64_t *ret)
{
	*ret = 0;
	if (!take(w, tag))
		return true;
	if (!number(w, ret))
		return false;
	++*ret;
	return true;
}

static bool identifier(struct walk *w)
{
	size_t len = 0, here;

	take(w, 'u');
	if (!is_digit(*w->at))
		return false;
	if (!take(w, '0'))
		for (; is_digit(*w->at) && len < 65536; w->at++)
			len = len * 10 + (*w->at - '0');
	take(w, '_');
	here = strnlen(w->at, len);
	w->at += here;
	return here == len && step(w, 1);
}

static bool named(struct walk *w)
{
	uint64_t disambiguator;

	return optional_number(w, 's', &disambiguator) && identifier(w);
}

typedef bool (*part_fn)(struct walk *w);
static bool path(struct walk *w);
static bool type(struct walk *w);
static bool constant(struct walk *w);

/* A part within another. */
static bool within(struct walk *w, part_fn part)
{
	bool ok = w->depth < MAX_DEPTH && step(w, 1);

	w->depth++;
	ok = ok && part(w);
	w->depth--;
	return ok;
}

/* Behind 'B': the part that stands there, then on from here. */
static bool back_reference(struct walk *w, part_fn part)
{
	const char *tag = w->at - 1, *behind;
	uint64_t offset;
	bool ok;

	if (!number(w, &offset) || offset >= (uint64_t)(tag - w->start))
		return false;
	behind = w->at;
	w->at = w->start + offset;
	ok = within(w, part);
	w->at = behind;
	return ok;
}

static bool until_end(struct walk *w, part_fn part)
{
	while (!take(w, 'E'))
		if (!within(w, part))
			return false;
	return true;
}

static bool argument(struct walk *w)
{
	uint64_t lifetime;

	if (take(w, 'L'))
		return number(w, &lifetime);
	if (take(w, 'K'))
		return within(w, constant);
	return within(w, type);
}

static bool impl(struct walk *w)
{
	uint64_t disambiguator;

	return optional_number(w, 's', &disambiguator) && within(w, path);
}

static bool path(struct walk *w)
{
	char tag = *w->at++;

	switch (tag) {
	case 'C':
		return named(w);
	case 'N':
		return *w->at++ && within(w, path) && named(w);
	case 'M':
		return impl(w) && within(w, type);
	case 'X':
		return impl(w) && within(w, type) && within(w, path);
	case 'Y':
		return within(w, type) && within(w, path);
	case 'I':
		return within(w, path) && until_end(w, argument);
	case 'B':
		return back_reference(w, path);
	}
	w->at -= !tag;
	return false;
}

/* Lifetimes that are bound here are written one by one. */
static bool binder(struct walk *w)
{
	uint64_t nr;

	return optional_number(w, 'G', &nr) && step(w, nr);
}

static bool function(struct walk *w)
{
	if (!binder(w))
		return false;
	take(w, 'U');
	if (take(w, 'K') && !take(w, 'C') && !identifier(w))
		return false;
	return until_end(w, type) && within(w, type);
}

/* A trait of a trait object; its arguments may stay open for what is bound behind them. */
static bool open_path(struct walk *w)
{
	if (take(w, 'B'))
		return back_reference(w, open_path);
	return path(w);
}

static bool dyn_trait(struct walk *w)
{
	if (!within(w, open_path))
		return false;
	while (take(w, 'p'))
		if (!identifier(w) || !within(w, type))
			return false;
	return true;
}

static bool trait_object(struct walk *w)
{
	uint64_t lifetime;

	return binder(w) && until_end(w, dyn_trait) && take(w, 'L') && number(w, &lifetime);
}

static bool reference(struct walk *w)
{
	uint64_t lifetime;

	return (!take(w, 'L') || number(w, &lifetime)) && within(w, type);
}

static bool type(struct walk *w)
{
	char tag = *w->at;

	if (is_lower(tag))
		return w->at++, true;
	if (!tag || !strchr("RQPOASTFDB", tag))
		return path(w);
	w->at++;
	switch (tag) {
	case 'R':
	case 'Q':
		return reference(w);
	case 'A':
		return within(w, type) && within(w, constant);
	case 'T':
		return until_end(w, type);
	case 'F':
		return function(w);
	case 'D':
		return trait_object(w);
	case 'B':
		return back_reference(w, type);
	}
	return within(w, type);
}

static bool constant(struct walk *w)
{
	if (take(w, 'B'))
		return back_reference(w, constant);
	if (take(w, 'p'))
		return true;
	if (!is_lower(*w->at))
		return false;
	w->at++;
	take(w, 'n');
	w->at += strspn(w->at, "0123456789abcdef");
	return take(w, '_');
}

bool demangle_rust_is_cheap(const char *name)
{
	struct walk w = { .start = name + 2, .at = name + 2 };

	while (is_digit(*w.at))
		w.at++;
	if (!within(&w, path))
		return false;
	/* The crate that made it, and what a compiler's passes have added. */
	return !*w.at || *w.at == '.' || *w.at == '$' ||
	       (within(&w, path) && (!*w.at || *w.at == '.' || *w.at == '$'));
}

/* A fold expression: f, which way, and an operator of two letters or a vendor's. */
static bool is_fold(const char *at)
{
	static const char operators[] = "aNaSaaadanatawazcccl"
					"cmcocvdVdXdadcdedlds"
					"dtdvdidxeOeoeqfLfRfl"
					"frgegsgtixlSlelilslt"
					"mImLmimlmmnanengntnw"
					"nxoRooorpLplpmpppspt"
					"qurMrSrcrmrssPsZscss"
					"stsztitetrtw";

	if (at[0] != 'f' || !at[1] || !strchr("lrLR", at[1]))
		return false;
	if (at[2] == 'v' && is_digit(at[3]))
		return true;
	for (const char *o = operators; *o; o += 2)
		if (at[2] == o[0] && at[3] == o[1])
			return true;
	return false;
}

static bool has_fold(const char *name)
{
	while ((name = strchr(name, 'f')))
		if (is_fold(name++))
			return true;
	return false;
}

/* Template parameters that have arguments. */
static unsigned int nr_template_templates(const char *name)
{
	unsigned int nr = 0;

	while ((name = strchr(name, 'T'))) {
		name += 1 + strspn(name + 1, "0123456789");
		nr += name[0] == '_' && name[1] == 'I';
	}
	return nr;
}

/* Functions, each with template arguments of its own, within each other. */
static unsigned int nr_scopes(const char *name)
{
	unsigned int nr = 0;

	while ((name = strchr(name, 'Z'))) {
		nr++;
		name++;
	}
	return nr;
}

bool demangle_cxx_is_cheap(const char *name)
{
	if (strstr(name, "cv") && nr_template_templates(name) > MAX_CXX_LEVELS)
		return false;
	return nr_scopes(name) <= MAX_CXX_SCOPES || !has_fold(name);
}
