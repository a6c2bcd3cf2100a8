/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an address of the current process to its mapping, its file and its place in the file's
 * unwind table.  The kernel's own tree of mappings is asked (area.bpf.h), so there is no state of
 * processes to be kept up to date, and a process is known as soon as it runs.
 *
 * What was found serves later stacks of the process.  Where the kernel locks areas one by one
 * (6.4), mm_lock_seq tells that no mapping at all has changed since, and vm_lock_seq that this one
 * has not; nothing is kept from one stack to the next on older kernels.
 */
#ifndef EDDY_MAPPING_BPF_H
#define EDDY_MAPPING_BPF_H

#include "area.bpf.h"
#include "task.bpf.h"
#include "variables.bpf.h"

#define VM_EXEC		    0x4
#define OVERLAY_SUPER_MAGIC 0x794c7630
#define FUSE_SUPER_MAGIC    0x65735546
#define BTRFS_SUPER_MAGIC   0x9123683e
#define BCACHEFS_MAGIC	    0xca451a4e

/*
 * The file of asked->key is new: user space is told once, by the program that was first to insert
 * it.  The message and the value stand in maps and not on the stack: 5.10 and 6.1 said "combined
 * stack size of 4 calls is 544. Too large".
 */
static __always_inline void file_request(struct eddy_file_event *asked)
{
	if (bpf_map_update_elem(&files, &asked->key, &pending_file, BPF_NOEXIST))
		return;
	asked->type = EDDY_EVENT_FILE;
	if (bpf_ringbuf_output(&ring, asked, sizeof(*asked), BPF_RB_FORCE_WAKEUP))
		bpf_map_delete_elem(&files, &asked->key); /* asked again by the next sample */
}

/*
 * Whether a pointer that may be anything is near another one that is good.  Where a CPU has five
 * levels of page tables and 5.10 uses four, it takes all addresses of 57 bits for such as may be
 * read, and complains of a general protection fault.
 */
static __always_inline bool is_near(__u64 pointer, const void *good)
{
	return !((pointer ^ (__u64)good) >> 47);
}

/*
 * What /proc/PID/maps may print for a file.  One that stands behind a file of overlayfs or FUSE has
 * that file's path behind it (struct backing_file, 6.7).  Nothing but a bit that has moved between
 * versions tells which files do; so the path is believed when its mount and its dentry agree, and
 * it is of such a file system.  The struct is not asked for by its name: where the kernel has none,
 * libbpf looks for it in modules, which takes CAP_SYS_ADMIN: "failed to perform CO-RE relocations".
 */
static __always_inline void shown_identify(__u64 *piece, const struct file *file,
					   struct eddy_file_event *asked)
{
	const struct path *path = (void *)file + bpf_core_type_size(struct file);
	const struct super_block *sb;
	const struct vfsmount *mnt;
	const struct dentry *dentry;
	const struct inode *inode;
	__u64 magic;

	asked->shown.ino = asked->key.ino;
	asked->shown.dev = asked->key.dev;
	asked->shown.gen = 0;
	asked->shown.inode = 0;
	if (!config.has_backing_files || !file)
		return;
	piece[0] = piece[1] = piece[2] = piece[3] = piece[4] = 0;
	bpf_core_read(&piece[0], 8, &path->mnt);
	bpf_core_read(&piece[1], 8, &path->dentry);
	if (!is_near(piece[0], file) || !is_near(piece[1], file))
		return;
	mnt = (void *)piece[0];
	dentry = (void *)piece[1];
	bpf_core_read(&piece[2], 8, &mnt->mnt_sb);
	bpf_core_read(&piece[3], 8, &dentry->d_sb);
	bpf_core_read(&piece[4], 8, &dentry->d_inode);
	sb = (void *)piece[3];
	inode = (void *)piece[4];
	if (piece[2] != piece[3] || !is_near(piece[3], file) || !is_near(piece[4], file))
		return;
	magic = BPF_CORE_READ(sb, s_magic);
	if (magic != OVERLAY_SUPER_MAGIC && magic != FUSE_SUPER_MAGIC)
		return;
	asked->shown.ino = BPF_CORE_READ(inode, i_ino);
	asked->shown.dev = BPF_CORE_READ(sb, s_dev);
}

/*
 * Fills m from what is known of the file of walk.asked.key (file: NULL for the vdso); offset is
 * that of the mapping's start in the file.
 */
static __always_inline void mapping_fill(struct eddy_scratch *s, struct eddy_mapping *m,
					 const struct file *file, __u64 pc, __u64 offset)
{
	struct eddy_file_event *asked = &s->walk.asked;
	struct eddy_unwind_file *f = bpf_map_lookup_elem(&files, &asked->key);
	__u64 at = pc - m->start + offset;
	__u32 i;

	if (!f) {
		m->kind = EDDY_MAPPING_PENDING;
		asked->pid = s->walk.pid;
		if (!asked->pid)
			return; /* user space cannot open it */
		asked->start = m->start;
		asked->end = m->end;
		shown_identify(s->walk.node, file, asked);
		file_request(asked);
		return;
	}
	if (!f->used)
		f->used = 1;
	if (f->kind == EDDY_FILE_PENDING) {
		m->kind = EDDY_MAPPING_PENDING;
		return;
	}
	m->kind = EDDY_MAPPING_NOTABLE;
	for (i = 0; i < EDDY_UNWIND_MAX_SEGMENTS; i++) {
		if (i >= f->nr_segments)
			break;
		if (at < f->segment[i].begin || at >= f->segment[i].end)
			continue;
		m->bias = f->segment[i].delta + offset - m->start;
		m->file = f->id;
		m->page_base = f->page_base;
		m->first_page = f->first_page;
		m->nr_pages = f->nr_pages;
		if (f->kind == EDDY_FILE_TABLE)
			m->kind = EDDY_MAPPING_TABLE;
		break;
	}
}

/* The key of the inode's file. */
static __always_inline void inode_identify(__u64 *piece, struct inode *inode,
					   struct eddy_unwind_key *ret_key)
{
	const struct super_block *sb;
	__u64 magic;

	piece[0] = 0;
	bpf_probe_read_kernel(piece, PIECE_BYTES, inode);
	sb = (void *)PIECE_READ(piece, struct inode, inode, i_sb);
	ret_key->ino = PIECE_READ(piece, struct inode, inode, i_ino);
	ret_key->gen = BPF_CORE_READ(inode, i_generation);
	ret_key->dev = BPF_CORE_READ(sb, s_dev);
	ret_key->inode = 0;
	magic = BPF_CORE_READ(sb, s_magic);
	if ((!ret_key->gen && !(ret_key->dev >> 20)) || magic == BTRFS_SUPER_MAGIC ||
	    magic == BCACHEFS_MAGIC)
		ret_key->inode = (__u64)inode;
}

/* Fills m from the area at walk.vma and its file; EDDY_END_NONE, or why there is none. */
static __always_inline int mapping_read(struct eddy_scratch *s, const struct eddy_space *space,
					struct eddy_mapping *m, __u64 pc)
{
	struct vm_area_struct *area = (void *)s->walk.vma;
	const struct mm_struct *mm = s->walk.mm;
	struct eddy_file_event *asked = &s->walk.asked;
	__u64 *piece = s->walk.node, offset;
	struct file *file;

	if (bpf_probe_read_kernel(piece, PIECE_BYTES, area))
		return EDDY_END_VMARACE;
	m->start = PIECE_READ(piece, struct vm_area_struct, area, vm_start);
	m->end = PIECE_READ(piece, struct vm_area_struct, area, vm_end);
	if (PIECE_READ(piece, struct vm_area_struct, area, vm_mm) != (__u64)mm)
		return EDDY_END_VMARACE;
	if (pc < m->start || pc >= m->end ||
	    !(PIECE_READ(piece, struct vm_area_struct, area, vm_flags) & VM_EXEC))
		return EDDY_END_NOMAP;
	file = (void *)PIECE_READ(piece, struct vm_area_struct, area, vm_file);
	offset = PIECE_READ(piece, struct vm_area_struct, area, vm_pgoff) * config.page_bytes;
	m->bias = 0;
	m->file = 0;
	m->nr_pages = 0;
	m->known_seq = space->lock_seq;
	m->area = 0;
	if (HAS_AREA_SEQ) {
		m->area_seq = area_seq(piece, area);
		/* Not while it is being changed: one change shows in the number once. */
		if ((__s32)(m->area_seq - space->lock_seq) < 0)
			m->area = s->walk.vma;
	}
	if (!file) {
		m->kind = EDDY_MAPPING_ANON;
		if (m->start != (__u64)BPF_CORE_READ(mm, context.vdso))
			return EDDY_END_NONE;
		asked->key.ino = EDDY_VDSO_INO;
		asked->key.dev = EDDY_VDSO_DEV;
		asked->key.gen = EDDY_VDSO_GEN;
		asked->key.inode = 0;
		mapping_fill(s, m, NULL, pc, 0);
		return EDDY_END_NONE;
	}
	inode_identify(piece, BPF_CORE_READ(file, f_inode), &asked->key);
	mapping_fill(s, m, file, pc, offset);
	return EDDY_END_NONE;
}

/* ---- mappings that are kept --------------------------------------------------------------- */

/* Some mappings have changed: whether m has not, for nobody began to change its area. */
static __always_inline bool mapping_check(struct eddy_scratch *s, const struct eddy_space *space,
					  struct eddy_mapping *m)
{
	struct vm_area_struct *area = (void *)m->area;
	__u64 *piece = s->walk.node;

	if (!HAS_AREA_SEQ || !area || bpf_probe_read_kernel(piece, PIECE_BYTES, area) ||
	    area_seq(piece, area) != m->area_seq ||
	    PIECE_READ(piece, struct vm_area_struct, area, vm_mm) != (__u64)s->walk.mm ||
	    PIECE_READ(piece, struct vm_area_struct, area, vm_start) != m->start ||
	    PIECE_READ(piece, struct vm_area_struct, area, vm_end) != m->end) {
		m->kind = EDDY_MAPPING_NONE;
		return false;
	}
	m->known_seq = space->lock_seq;
	return true;
}

static __always_inline bool mapping_has(const struct eddy_mapping *m, __u64 pc)
{
	return m->kind != EDDY_MAPPING_NONE && pc >= m->start && pc < m->end;
}

static __always_inline bool mapping_is_known(const struct eddy_space *space,
					     const struct eddy_mapping *m)
{
	return m->known_seq == space->lock_seq && !space->is_changing;
}

/*
 * Finds the mapping of pc, among those of the process that are known or in the kernel: its slot
 * (space.last), or the end of the walk, negative.  Global: verified once and not for every caller.
 */
__noinline int mapping_find(__u64 pc)
{
	__u32 zero = 0, slot;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct eddy_space *space;
	struct eddy_mapping *m;
	int end;

	if (!s)
		return -EDDY_END_NOMAP;
	space = &s->space[s->walk.space % EDDY_NR_SPACES];
	for (slot = 0; slot < EDDY_NR_MAPPINGS; slot++) {
		m = &space->mapping[slot];
		if (mapping_has(m, pc) &&
		    (mapping_is_known(space, m) || mapping_check(s, space, m))) {
			space->last = slot;
			return slot;
		}
	}
	slot = space->next % EDDY_NR_MAPPINGS;
	m = &space->mapping[slot];
	m->kind = EDDY_MAPPING_NONE;
	area_find(s, pc);
	if (!s->walk.vma)
		return -EDDY_END_NOMAP;
	end = mapping_read(s, space, m, pc);
	if (end) {
		m->kind = EDDY_MAPPING_NONE;
		return -end;
	}
	space->next = slot + 1;
	space->last = slot;
	return slot;
}

/* mm_lock_seq changes with every change to the mappings; odd in between since it is a seqcount. */
static __always_inline void lock_seq_read(struct eddy_space *space, const struct task_struct *task)
{
	const struct mm_struct___seqcount *mm_seqcount = (void *)task->mm;
	const struct mm_struct___int *mm_int = (void *)mm_seqcount;

	if (bpf_core_field_exists(mm_seqcount->mm_lock_seq.sequence)) {
		space->lock_seq = mm_seqcount->mm_lock_seq.sequence;
		space->is_changing = space->lock_seq & 1;
	} else {
		space->lock_seq = mm_int->mm_lock_seq;
	}
}

/* Chooses the space of the current process, and forgets what may not hold any more. */
static __always_inline void space_begin(struct eddy_scratch *s, const struct task_struct *task)
{
	/* From memory: the verifier allows no arithmetic on task->mm, which is typed. */
	__u64 mm = *(volatile __u64 *)&s->walk.mm, exec_id, started_ns;
	__u32 nr = HAS_AREA_SEQ ? mm * 0x9e3779b97f4a7c15ull >> 61 : 0, zero = 0, pid, i;
	struct eddy_space *space = &s->space[nr % EDDY_NR_SPACES];
	struct eddy_unwind_pages *all_pages = bpf_map_lookup_elem(&pages, &zero);
	bool is_same = false;

	s->walk.space = nr;
	if (!all_pages)
		return;
	if (HAS_AREA_SEQ) {
		pid = bpf_get_current_pid_tgid() >> 32;
		exec_id = task->self_exec_id;
		started_ns = task_started_ns(task);
		is_same = (__u64)space->mm == mm && space->exec_id == exec_id &&
			  space->started_ns == started_ns && space->pid == pid &&
			  space->version == all_pages->version;
		space->mm = (void *)mm;
		space->exec_id = exec_id;
		space->started_ns = started_ns;
		space->pid = pid;
		lock_seq_read(space, task);
	}
	space->version = all_pages->version;
	/* The table of one that was pending may have come. */
	for (i = 0; i < EDDY_NR_MAPPINGS; i++)
		if (!is_same || space->mapping[i].kind == EDDY_MAPPING_PENDING)
			space->mapping[i].kind = EDDY_MAPPING_NONE;
	if (!is_same)
		space->next = 0;
}

#endif
