/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a command: groups of rows, a row for each option that says where its value goes.
 * What getopt_long() returns for an option is the place of its row, so nobody writes a number down
 * and no two options can have the same one.
 *
 *	static const struct option_row rows[] = {
 *		{ OPTION_FLAG("idle", "I", struct opts, idle) },
 *		{ OPTION_COUNT("limit", NULL, struct opts, limit, 1, UINT64_MAX) },
 *		{ 0 },
 *	};
 *	const struct option_group groups[] = { { rows, &opts }, { passes_rows, &passes }, { 0 } };
 */
#ifndef EDDY_CLI_OPTIONS_H
#define EDDY_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/diag.h"
#include "util/mem.h"

struct option_row {
	const char *name;    /* without "--" */
	const char *letters; /* each of them means the option too; NULL: none */
	/*
	 * Takes the value (NULL for a flag) into the struct of the group.  0, or -EINVAL with a
	 * diag that begins with "--name: ".
	 */
	int (*take)(const struct option_row *row, void *into, const char *arg,
		    struct diag *ret_diag);
	bool is_flag;	 /* takes no value */
	size_t at, size; /* the field in the struct of the group */
	size_t at_more;	 /* the number of a list; a bool that says it was given; 0: none */
	uint64_t min, max;
	double least;		  /* of a percentage */
	const char *what;	  /* what was expected; NULL: the usual words */
	const char *const *names; /* of a choice; the value is min + the place */
	size_t nr_names;
	unsigned int given; /* the bit to set in the group's `given` */
};

struct option_group {
	const struct option_row *rows; /* ended by a row without a name */
	void *into;
	unsigned int *given; /* NULL: nobody asks */
};

/* The field must have a type that the option can be stored in. */
#define OPTION_AT(type, field, good)                                     \
	.at = offsetof(type, field) + 0 * sizeof(char[(good) ? 1 : -1]), \
	.size = sizeof(((type *)0)->field)
#define OPTION_IS(type, field, wanted) \
	__builtin_types_compatible_p(__typeof__(((type *)0)->field), wanted)
#define OPTION_ROW(name_, letters_, take_) .name = name_, .letters = letters_, .take = take_

/* What may stand between the braces of a row, by the kind of its value. */

/* A bool that becomes true, or false. */
#define OPTION_FLAG(name, letters, type, field)      \
	OPTION_ROW(name, letters, option_take_true), \
		.is_flag = true, OPTION_AT(type, field, OPTION_IS(type, field, bool))
#define OPTION_FLAG_NOT(name, letters, type, field)   \
	OPTION_ROW(name, letters, option_take_false), \
		.is_flag = true, OPTION_AT(type, field, OPTION_IS(type, field, bool))
/* A const char * as it was typed. */
#define OPTION_TEXT(name, letters, type, field)      \
	OPTION_ROW(name, letters, option_take_text), \
		OPTION_AT(type, field, OPTION_IS(type, field, const char *))
/* The same, given any number of times: a const char ** of the caller's, and a size_t. */
#define OPTION_TEXTS(name, letters, type, field, nr_field) \
	OPTION_ROW(name, letters, option_take_texts),      \
		.at_more = offsetof(type, nr_field),       \
		OPTION_AT(type, field, OPTION_IS(type, field, const char **))
/* A whole number into 32 or 64 bits. */
#define OPTION_COUNT(name, letters, type, field, min_, max_) \
	OPTION_ROW(name, letters, option_take_count),        \
		.min = min_, .max = max_,                    \
		OPTION_AT(type, field,                       \
			  OPTION_IS(type, field, uint64_t) || OPTION_IS(type, field, uint32_t))
/* Bytes. */
#define OPTION_SIZE(name, letters, type, field, min_, max_) \
	OPTION_ROW(name, letters, option_take_size),        \
		.min = min_, .max = max_, OPTION_AT(type, field, OPTION_IS(type, field, uint64_t))
/* Nanoseconds. */
#define OPTION_DURATION(name, letters, type, field, min_, max_) \
	OPTION_ROW(name, letters, option_take_duration),        \
		.min = min_, .max = max_, OPTION_AT(type, field, OPTION_IS(type, field, uint64_t))
/* "5" or "5%": a double, of a hundred or (SHARE) of one. */
#define OPTION_PERCENT(name, letters, type, field)      \
	OPTION_ROW(name, letters, option_take_percent), \
		OPTION_AT(type, field, OPTION_IS(type, field, double))
#define OPTION_SHARE(name, letters, type, field, least_percent) \
	OPTION_ROW(name, letters, option_take_share),           \
		.least = least_percent, OPTION_AT(type, field, OPTION_IS(type, field, double))
/* "0-3,7": a uint32_t * of the caller's, and a size_t for their number. */
#define OPTION_LIST(name, letters, type, field, nr_field) \
	OPTION_ROW(name, letters, option_take_list),      \
		.at_more = offsetof(type, nr_field),      \
		OPTION_AT(type, field, OPTION_IS(type, field, uint32_t *))
/* One of some names: an enum that counts as they do, or a bool that is true for the second. */
#define OPTION_CHOICE(name, letters, type, field, names_) \
	OPTION_ROW(name, letters, option_take_choice),    \
		.names = names_, .nr_names = ARRAY_SIZE(names_), OPTION_AT(type, field, true)
/* The same, and a bool becomes true. */
#define OPTION_CHOICE_GIVEN(name, letters, type, field, names_, given_field) \
	OPTION_CHOICE(name, letters, type, field, names_), .at_more = offsetof(type, given_field)
/* What only the command understands: take has the contract of struct option_row. */
#define OPTION_OWN(name, letters, take) OPTION_ROW(name, letters, take)

int option_take_true(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag);
int option_take_false(const struct option_row *row, void *into, const char *arg,
		      struct diag *ret_diag);
int option_take_text(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag);
int option_take_texts(const struct option_row *row, void *into, const char *arg,
		      struct diag *ret_diag);
int option_take_count(const struct option_row *row, void *into, const char *arg,
		      struct diag *ret_diag);
int option_take_size(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag);
int option_take_duration(const struct option_row *row, void *into, const char *arg,
			 struct diag *ret_diag);
int option_take_percent(const struct option_row *row, void *into, const char *arg,
			struct diag *ret_diag);
int option_take_share(const struct option_row *row, void *into, const char *arg,
		      struct diag *ret_diag);
int option_take_list(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag);
int option_take_choice(const struct option_row *row, void *into, const char *arg,
		       struct diag *ret_diag);

enum { OPTIONS_HELP = 1 };

/*
 * Takes all options of argv, and --help.  *ret_operands is where the operands begin, in argv.
 * is_ordered: options end at the first operand.  0; OPTIONS_HELP as soon as help is asked for; or
 * -EINVAL with a diag that names the option, also when two rows have one name or letter.  The
 * values point into argv.
 */
int options_parse(const struct option_group *groups, bool is_ordered, char **argv,
		  char ***ret_operands, struct diag *ret_diag);

/* The name of the first row with one of these bits in `given`; NULL: none. */
const char *options_given_name(const struct option_row *rows, unsigned int given);

#endif
