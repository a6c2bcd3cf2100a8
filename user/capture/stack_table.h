/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What user space knows of the stacks that the sampler counts: by hash, the tag that the consumer
 * gave the stack in this window.
 */
#ifndef EDDY_CAPTURE_STACK_TABLE_H
#define EDDY_CAPTURE_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler_abi.h"

struct stack_entry {
	struct eddy_stack_key key;
	uint32_t tag;
};

struct stack_table;

struct stack_table *stack_table_new(void);
void stack_table_free(struct stack_table *t);

/* The entry, or NULL; valid until the next one is added. */
struct stack_entry *stack_table_find(const struct stack_table *t, const struct eddy_stack_key *key);
/* Adds a stack that is not there yet. */
void stack_table_add(struct stack_table *t, const struct eddy_stack_key *key, uint32_t tag);
/* Forgets all stacks; memory that a larger window needed is given back. */
void stack_table_clear(struct stack_table *t);

size_t stack_table_nr(const struct stack_table *t);
size_t stack_table_bytes(const struct stack_table *t);

#endif
