/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many tests at once: which of them may be believed, so that of those believed no more than a
 * given share is wrong on average (Benjamini and Hochberg 1995).
 */
#ifndef EDDY_ANALYSIS_FDR_H
#define EDDY_ANALYSIS_FDR_H

#include <stddef.h>

/*
 * q[i] of each p[i]: the least level at which test i is among the believed ones, that is the
 * smallest p * nr / rank of all tests with a p as large or larger.  p within 0 and 1.
 */
void fdr_adjust(const double *p, size_t nr, double *ret_q);

#endif
