/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which class every stack of a profile belongs to: the task's own, or an interrupt that landed on
 * it.  One forward loop over the tree classifies all stacks, because a stack's class depends on
 * nothing but the frames from the root to it.
 *
 *	comm;main;compute;asm_sysvec_x;sysvec_x;__irq_exit_rcu;handle_softirqs;net_rx_action
 *	                  |boundary: hardirq                   |boundary: softirq
 *
 * A chain may hold several boundaries; a sample belongs to the innermost.  Only kernel frames
 * count where a profile tells them (live data, annotated text); in text without any annotation
 * all frames do.  A frame's role is that which the live path resolved by address, else by name.
 */
#ifndef EDDY_ANALYSIS_IRQ_H
#define EDDY_ANALYSIS_IRQ_H

#include "profile/profile.h"

enum irq_class {
	IRQ_TASK,	    /* the task's own work, user or kernel */
	IRQ_TRAMPOLINE,	    /* the task's: nothing but entry code in the kernel chain */
	IRQ_EXCEPTION,	    /* the task's: page fault and the like, never cut */
	IRQ_EXIT_WORK,	    /* the task's: return-to-user or preemption work after an interrupt */
	IRQ_KSOFTIRQD,	    /* a task whose work is softirqs */
	IRQ_SOFTIRQ_INLINE, /* softirq run by a task that enabled bottom halves */
	IRQ_HARDIRQ,
	IRQ_SOFTIRQ, /* on the way out of a hard IRQ */
	IRQ_NMI,
	NR_IRQ_CLASSES
};

/* "task", "trampoline", "exception", "exit-work", "ksoftirqd", "softirq-inline", "hardirq", ... */
const char *irq_class_name(enum irq_class class);

/* The frame that interrupt stacks stand under: "[hardirq]", "[softirq]", "[nmi]"; else NULL. */
const char *irq_class_mark(enum irq_class class);

/* Hard IRQ, softirq on exit or NMI: what hits a task from outside. */
static inline bool irq_class_is_interrupt(enum irq_class class)
{
	return class >= IRQ_HARDIRQ;
}

/* Where an interrupt begins in the tree. */
struct irq_boundary {
	uint8_t class;	/* IRQ_HARDIRQ, IRQ_SOFTIRQ, IRQ_NMI or IRQ_SOFTIRQ_INLINE */
	bool is_marked; /* stands under a mark already: who was interrupted is not known */
	uint32_t outer; /* boundary in force where it hit; 0: none */
	node_id begin;	/* its outermost node */
	node_id entry;	/* node of the entry symbol; NODE_ROOT: not known */
	node_id victim; /* innermost node of the stack it hit; NODE_ROOT: none */
};

struct irq_node {
	uint8_t class;
	uint8_t role;	   /* enum frame_role; NONE for frames that are not the kernel's */
	bool is_kernel;	   /* this or a caller is a kernel frame */
	bool is_prologue;  /* nothing but entry code since the boundary */
	uint32_t boundary; /* the innermost; 0: none */
	node_id handler;   /* first function of the interrupt's own work; NODE_ROOT: none yet */
	node_id path;	   /* where a run of do_softirq-like frames began; NODE_ROOT: not in one */
	node_id base;	   /* the innermost of the base frames, or the stack's outermost node */
};

struct irq_rows;

struct irq_map {
	size_t nr_nodes;
	struct irq_node *nodes; /* by node_id of the profile */
	struct irq_boundary *boundaries;
	size_t nr_boundaries, cap_boundaries; /* [0] is not one */
	/* What is known from elsewhere of interrupts under marks (irq_rows.h); NULL: nothing. */
	const struct irq_rows *known;
	const struct profile *profile;
};

/* Classifies every node of p, which must outlive the map and not grow meanwhile. */
struct irq_map *irq_map_new(const struct profile *p);
void irq_map_free(struct irq_map *map); /* NULL is fine */
DEFINE_FREE(irq_map, struct irq_map *, irq_map_free)
#define _cleanup_irq_map_ _cleanup_(irq_map_freep)

/* The class of the stack that ends at node; node < nr_nodes. */
enum irq_class irq_class_of_node(const struct irq_map *map, node_id node);

/* The node is the softirq core itself (handle_softirqs), not what it runs. */
bool irq_node_is_core(const struct irq_map *map, node_id node);

/* At this node the chain left a hard IRQ for the work of who was hit (exit_to_user_mode, ...). */
bool irq_node_is_exit(const struct irq_map *map, node_id node);

/* Samples by class, before any pass. */
struct irq_counts {
	uint64_t total;
	uint64_t samples[NR_IRQ_CLASSES];
};

void irq_count(const struct irq_map *map, struct irq_counts *ret_counts);

/* What the `.json` calls softirq: on exit of an interrupt and inline (ksoftirqd is a task). */
static inline uint64_t irq_counts_softirq(const struct irq_counts *c)
{
	return c->samples[IRQ_SOFTIRQ] + c->samples[IRQ_SOFTIRQ_INLINE];
}

#endif
