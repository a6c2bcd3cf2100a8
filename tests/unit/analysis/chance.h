/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers of the distributions that simulations of samples need. */
#ifndef EDDY_TESTS_CHANCE_H
#define EDDY_TESTS_CHANCE_H

#include <math.h>

#include "random.h"

/* From 0 to below 1. */
static inline double chance_uniform(void)
{
	return (test_random() >> 11) * 0x1p-53;
}

/* Of mean 0 and deviation 1: Box and Muller. */
static inline double chance_normal(void)
{
	return sqrt(-2 * log(1 - chance_uniform())) * cos(2 * M_PI * chance_uniform());
}

/* A count of that mean; above 60 by the normal distribution. */
static inline uint64_t chance_poisson(double mean)
{
	uint64_t n = 0;

	if (mean > 60) {
		double v = floor(mean + sqrt(mean) * chance_normal() + 0.5);

		return v > 0 ? (uint64_t)v : 0;
	}
	for (double left = -log(1 - chance_uniform()); left < mean;
	     left -= log(1 - chance_uniform()))
		n++;
	return n;
}

#endif
