/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * By what the rates of the two sides are taken (struct diff_base): as it was asked for, or as their
 * `.json` files tell how they were captured.
 */
#ifndef EDDY_LOAD_DIFF_BASE_H
#define EDDY_LOAD_DIFF_BASE_H

#include "output/diff_view.h"
#include "util/json.h"

/* What the `.json` files of one side tell. */
struct diff_facts {
	size_t nr;	      /* files */
	size_t nr_commands;   /* of them captured while a command ran, */
	size_t nr_filters;    /* of chosen processes */
	size_t nr_merged;     /* of several captures */
	size_t nr_clocks;     /* of a clock: CPU time */
	bool has_unknown_due; /* of one of them */
	bool has_unknown_unit;
	double due;   /* samples */
	double units; /* nanoseconds, or events, that were due */
	double unit;  /* of a sample: the first file's */
};

/* NULL: the file has no `.json`.  Returns false when what was due is not known. */
bool diff_facts_add(struct diff_facts *f, const struct json *sidecar, uint64_t *ret_due);

/* What was asked for. */
struct diff_base_request {
	const char *per;  /* NULL: to be chosen */
	const char *work; /* "BEFORE:AFTER"; NULL */
};

/* The texts of --per and --work: -EINVAL with a diag. */
int diff_base_parse(const struct diff_base_request *request, struct diff_base *ret_base,
		    struct diag *ret_diag);
/* Fills in what the facts decide; is_windows: a side is several files. */
int diff_base_choose(const struct diff_facts facts[NR_DIFF_SIDES], struct diff_base *base,
		     struct diag *ret_diag);

/*
 * The exposure of a batch: `due` samples were due in it, it has `total`, and it is nr_files of its
 * side's.
 */
double diff_base_exposure(const struct diff_base *base, const struct diff_facts *facts,
			  enum diff_side side, double due, double total, size_t nr_files);

#endif
