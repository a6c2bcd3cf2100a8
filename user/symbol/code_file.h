/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of a program or library, from its file, if that has the build id which is wanted.  The file
 * is opened, and nothing of it is looked at but by a parser.
 */
#ifndef EDDY_SYMBOL_CODE_FILE_H
#define EDDY_SYMBOL_CODE_FILE_H

#include "symbol/function_code.h"
#include "util/diag.h"

struct code_file;

struct code_file_name {
	const char *path;
	const uint8_t *build_id;
	size_t build_id_len; /* 0: any file will do */
};

/* 0, or -errno with a diag that begins with the path. */
int code_file_open(struct worker_pool *pool, const struct code_file_name *name,
		   struct code_file **ret_file, struct diag *ret_diag);
void code_file_free(struct code_file *f);
DEFINE_FREE(code_file, struct code_file *, code_file_free)

/* The ELF address of what is at an offset in the file; false: no code is there. */
bool code_file_address(const struct code_file *f, uint64_t offset, uint64_t *ret_address);
/*
 * The function that `first` is in, with lines, at least up to `last` if that is in it too.
 * 0, or -errno with a diag.
 */
int code_file_function(struct code_file *f, uint64_t first, uint64_t last,
		       struct function_code *ret, struct diag *ret_diag);
/* Adds the name of what is at an address, "name+0x12"; nothing where that is not known. */
void code_file_name_address(const struct code_file *f, uint64_t address, struct strbuf *to);

#endif
