// SPDX-License-Identifier: GPL-2.0-or-later
/* One look at each `.json`: a directory of snapshots has many of them. */
#include "load/file_facts.h"

#include <errno.h>
#include <string.h>

#include "archive/sidecar_read.h"
#include "archive/count_unit.h"
#include "profile/base_frame.h"
#include "util/mem.h"

struct finding {
	struct file_facts facts;
	const char *first; /* the first file that has a `.json` */
	enum sidecar_unit first_unit;
	const char *bare;  /* the first that has none: of samples */
	const char *timed; /* the first whose counts are time */
	bool has_missing;  /* a file without a `.json` */
};

static const struct base_frames unknown = BASE_FRAMES_OF(NR_BASE_FRAMES);

bool file_facts_base_frames(const struct json *sidecar, struct base_frames *ret_frames)
{
	const char *text = json_string(sidecar, json_member(sidecar, JSON_ROOT, "root"));

	*ret_frames = (struct base_frames){ 0 };
	if (!*text || base_frames_parse(text, ret_frames))
		return true;
	*ret_frames = unknown;
	return false;
}

static void add_root(struct finding *f, const struct json *sidecar)
{
	struct base_frames root;

	file_facts_base_frames(sidecar, &root);
	f->facts.root = f->first ? base_frames_common(&f->facts.root, &root) : root;
	f->facts.has_bases &= base_frames_nr(&root) > 0;
}

static int add(struct finding *f, const char *path, const struct json *sidecar,
	       struct diag *ret_diag)
{
	_cleanup_free_ char *own = count_unit_of_sidecar(sidecar);
	const char *unit = f->facts.unit;

	add_root(f, sidecar);
	if (!f->timed && sidecar_unit(sidecar) == SIDECAR_MICROSECONDS)
		f->timed = path;
	if (!f->first) {
		f->first = path;
		f->first_unit = sidecar_unit(sidecar);
		f->facts.unit = take_ptr(own);
		return 0;
	}
	if (!strcmp(own ? own : "", unit ? unit : ""))
		return 0;
	if (f->first_unit != SIDECAR_SAMPLES || sidecar_unit(sidecar) != SIDECAR_SAMPLES)
		return diag_set(ret_diag, EINVAL,
				"%s and %s cannot be added up: one counts %s, the other %s",
				f->first, path, unit ? unit : "samples", own ? own : "samples");
	/* Periods that differ: samples all of them, of which none says more. */
	free(take_ptr(f->facts.unit));
	return 0;
}

int file_facts_find(struct stack_files *files, const struct stack_files_opts *opts,
		    struct file_facts *ret_facts, struct diag *ret_diag)
{
	struct finding f = { .facts.has_bases = true };

	for (size_t i = 0; i < files->nr; i++) {
		_cleanup_json_ struct json *sidecar = NULL;
		const char *path = files->files[i].path;
		int r = stack_files_sidecar(files, i, &sidecar, NULL);

		if (r < 0) {
			f.facts.has_bases = false;
			f.has_missing = true;
			if (!f.bare && r == -ENOENT)
				f.bare = path;
			r = 0;
		} else {
			r = add(&f, path, sidecar, ret_diag);
		}
		if (r >= 0 && f.bare && f.timed)
			r = diag_set(ret_diag, EINVAL,
				     "%s and %s cannot be added up: one counts microseconds, the "
				     "other, without a .json, samples",
				     f.timed, f.bare);
		if (r < 0) {
			file_facts_deinit(&f.facts);
			return r;
		}
	}
	if (f.has_missing)
		f.facts.root = unknown;
	if (opts->with_host)
		f.facts.root = base_frames_under_host(&f.facts.root);
	*ret_facts = f.facts;
	return 0;
}

size_t file_facts_nr_bases(const struct file_facts *facts, const struct base_frames *root)
{
	if (root)
		return base_frames_nr(root);
	if (!facts->has_bases || base_frames_kind(&facts->root, 0) == NR_BASE_FRAMES)
		return 0;
	return base_frames_nr(&facts->root);
}

void file_facts_deinit(struct file_facts *facts)
{
	free(facts->unit);
	*facts = (struct file_facts){ 0 };
}
