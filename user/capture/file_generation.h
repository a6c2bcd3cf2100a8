/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tells a file from an earlier one of the same inode number. */
#ifndef EDDY_CAPTURE_FILE_GENERATION_H
#define EDDY_CAPTURE_FILE_GENERATION_H

#include <stdint.h>

/*
 * i_generation of the open file, as the sampler reads it from the inode; 0 on file systems that
 * have none or do not tell.
 */
uint32_t file_generation(int fd);

#endif
