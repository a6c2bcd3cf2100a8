/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few kernel types that eddy reads, kept by hand: names are what counts, libbpf relocates every
 * access to the layout of the running kernel (CO-RE).  Fields that exist only on some kernels
 * are asked for with bpf_core_field_exists() before they are read.
 *
 * The uapi headers come first: they do not change between kernels and are not relocated.
 */
#ifndef EDDY_VMLINUX_H
#define EDDY_VMLINUX_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/bpf_perf_event.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_arm64)
struct pt_regs { /* user_pt_regs stands at its beginning; only its size is asked for */
	__u64 sp;
};
#endif

struct vm_struct {
	unsigned int nr_pages;
};

struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	__u32 i_generation;
};

struct file {
	struct inode *f_inode;
};

struct dentry {
	struct inode *d_inode;
	struct super_block *d_sb;
};

struct vfsmount {
	struct super_block *mnt_sb;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct maple_tree {
	void *ma_root;
};

struct maple_range_64 {
	unsigned long pivot[15];
	void *slot[16];
};

struct maple_arange_64 {
	unsigned long pivot[9];
	void *slot[10];
};

struct rb_node {
	struct rb_node *rb_right;
	struct rb_node *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

typedef struct {
	void *vdso;
} mm_context_t;

/* Probes of user functions, with CONFIG_UPROBES (kernel/events/uprobes.c). */
struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct return_instance {
	unsigned long stack; /* the stack pointer at the function's first instruction */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances; /* innermost first */
	unsigned long vaddr;			  /* of the instruction that stands at xol_vaddr */
	unsigned long xol_vaddr;
};

struct mm_struct {
	struct maple_tree mm_mt; /* 6.1 and later */
	struct rb_root mm_rb;	 /* before */
	mm_context_t context;
	unsigned long start_code;
	struct uprobes_state uprobes_state;
};

/* With CONFIG_PER_VMA_LOCK: changes whenever a writer lets go of the mappings. */
struct mm_struct___int { /* 6.4 */
	int mm_lock_seq;
};
struct mm_struct___seqcount { /* 6.13; odd while there is a writer */
	struct {
		unsigned int sequence;
	} mm_lock_seq;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
	struct rb_node vm_rb; /* before 6.1 */
};

/* With CONFIG_PER_VMA_LOCK, 6.4: takes mm_lock_seq when somebody begins to change the area. */
struct vm_area_struct___lock {
	unsigned int vm_lock_seq;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

/* What a task is called in one namespace. */
struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;    /* of the innermost namespace that it is in */
	struct upid numbers[]; /* one for each level */
};

struct kernfs_node {
	__u64 id;
};

struct cgroup_root {
	int hierarchy_id; /* 0: version 2 */
};

struct cgroup_subsys_state {
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct css_set {
	struct cgroup *dfl_cgrp; /* of version 2 */
};

struct sched_entity {
	unsigned long long sum_exec_runtime; /* ns */
};

struct task_struct {
	unsigned int __state; /* 5.14 */
	int on_rq;
	int on_cpu;
	unsigned int in_iowait : 1;
	struct sched_entity se;
	char comm[16];
	unsigned long long start_time; /* ns */
	struct css_set *cgroups;
	void *stack;
	struct pid *thread_pid;
	unsigned int flags;
	int pid;
	int tgid;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	unsigned long long start_boottime; /* ns */
	unsigned long long self_exec_id;   /* counts the calls of exec */
	struct vm_struct *stack_vm_area;   /* with CONFIG_VMAP_STACK */
	struct uprobe_task *utask; /* with CONFIG_UPROBES; NULL until the task meets a probe */
};

struct task_struct___before_5_14 {
	long state;
};

struct bpf_iter__task {
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
