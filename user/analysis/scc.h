/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strongly connected components of a directed graph (Tarjan 1972), without program recursion. */
#ifndef EDDY_ANALYSIS_SCC_H
#define EDDY_ANALYSIS_SCC_H

#include <stdint.h>

/*
 * The edges of vertex v go to to[start[v]] .. to[start[v + 1] - 1].  Writes to component[v], for
 * every v < nr, the number of its component and returns how many there are.  Components are
 * numbered callees first: an edge between two components goes to the smaller number.
 */
uint32_t scc_find(uint32_t nr, const uint32_t *start, const uint32_t *to, uint32_t *component);

#endif
