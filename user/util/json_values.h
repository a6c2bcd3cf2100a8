/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How values lie in memory: of json.c, and of json_parse.c, which writes them as it reads.  Both
 * arrays grow with the bytes that were read, so a text cannot cost more than a fixed multiple of
 * its length.
 */
#ifndef EDDY_UTIL_JSON_VALUES_H
#define EDDY_UTIL_JSON_VALUES_H

#include <stddef.h>

#include "util/json.h"
#include "util/strbuf.h"

struct json_value {
	uint8_t kind;
	bool boolean;
	struct json_style style;
	json_id parent, first, last, next;
	uint32_t count;
	size_t name, string; /* offsets of the buffer; 0 is "" */
	union {
		uint64_t integer;
		double number;
	};
};

struct json {
	struct json_value *values;
	size_t nr, cap;
	struct strbuf text;
};

#endif
