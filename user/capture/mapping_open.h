/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a process has mapped. */
#ifndef EDDY_CAPTURE_MAPPING_OPEN_H
#define EDDY_CAPTURE_MAPPING_OPEN_H

#include "sampler_abi.h"

/*
 * Opens the file that was asked for, by the place where it is mapped.  What stands there by now may
 * be another file: only the one that is named asked->key or asked->shown is opened, of the key's
 * generation where both are known.  A descriptor, or
 *	-ENODEV	a device: opening one may do something to it
 *	-ESRCH	nothing is mapped there any more, or the process has ended
 *	-ESTALE	another file is mapped there
 *	-EACCES	it may not be opened, or is not to be found by its path
 */
int mapping_open(const struct eddy_file_event *asked);

#endif
