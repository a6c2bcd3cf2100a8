// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of two owners on their way to a table: nobody's waits for another's that takes long. */
#include "capture/unwind_jobs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/file_key.h"
#include "unit/unit.h"
#include "util/mem.h"

#define TEXT_AT	  4096u
#define FRAMES_AT (32ull << 20)
#define ROW_BYTES 3
#define LARGE	  (12u << 20)
#define SMALL	  1000u
#define A	  1001
#define B	  1002

/* An ELF file with a CIE, and an FDE by which so many bytes of code have two rules in turn. */
static int file_of_rows(uint32_t nr_rows)
{
	static const uint8_t cie[] = { 20, 0,	 0,  0, 0,    0,    0, 0, 1,	'z', 'R', 0,
				       1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,	  0 };
	const uint32_t len = 13 + nr_rows * ROW_BYTES;
	const uint32_t head[] = { len, sizeof(cie) + 4,
				  (uint32_t)(TEXT_AT - (FRAMES_AT + sizeof(cie) + 8)), nr_rows };
	const char names[] = "\0.eh_frame\0.shstrtab";
	const uint64_t names_at = FRAMES_AT + sizeof(cie) + len + 4;
	const Elf64_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
					    EV_CURRENT },
			       .e_type = ET_DYN,
			       .e_machine = EM_X86_64,
			       .e_version = EV_CURRENT,
			       .e_phoff = sizeof(e),
			       .e_shoff = names_at + 64,
			       .e_ehsize = sizeof(e),
			       .e_phentsize = sizeof(Elf64_Phdr),
			       .e_phnum = 1,
			       .e_shentsize = sizeof(Elf64_Shdr),
			       .e_shnum = 3,
			       .e_shstrndx = 2 };
	const Elf64_Phdr load = { .p_type = PT_LOAD,
				  .p_flags = PF_R | PF_X,
				  .p_offset = TEXT_AT,
				  .p_vaddr = TEXT_AT,
				  .p_filesz = nr_rows,
				  .p_memsz = nr_rows,
				  .p_align = 4096 };
	const Elf64_Shdr sections[3] = { { 0 },
					 { .sh_name = 1,
					   .sh_type = SHT_PROGBITS,
					   .sh_addr = FRAMES_AT,
					   .sh_offset = FRAMES_AT,
					   .sh_size = names_at - FRAMES_AT },
					 { .sh_name = 11,
					   .sh_type = SHT_STRTAB,
					   .sh_offset = names_at,
					   .sh_size = sizeof(names) } };
	char *fde = xcalloc(1, len + 4);
	int fd = memfd_create("rows", MFD_CLOEXEC);

	memcpy(fde, head, sizeof(head));
	for (uint32_t i = 0; i < nr_rows; i++)
		memcpy(fde + sizeof(head) + 1 + (size_t)i * ROW_BYTES,
		       (uint8_t[]){ 0x41, 0x0e, i % 2 ? 16 : 24 }, ROW_BYTES);
	assert_true(pwrite(fd, &e, sizeof(e), 0) > 0 &&
		    pwrite(fd, &load, sizeof(load), sizeof(e)) > 0 &&
		    pwrite(fd, cie, sizeof(cie), FRAMES_AT) > 0 &&
		    pwrite(fd, fde, len + 4, FRAMES_AT + sizeof(cie)) == len + 4 &&
		    pwrite(fd, names, sizeof(names), names_at) > 0 &&
		    pwrite(fd, sections, sizeof(sections), e.e_shoff) > 0);
	free(fde);
	return fd;
}

/* As the loader gives a file back that was opened, of this process. */
static void add(struct unwind_jobs *j, int fd, owner_id owner, uint32_t id)
{
	struct unwind_job *job = xcalloc(1, sizeof(*job));
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(fstat(fd, &st), 0);
	job->ev.pid = getpid();
	job->ev.key.ino = st.st_ino;
	job->ev.key.dev = file_key_dev(st.st_dev);
	job->job.owner = owner;
	job->id = id;
	job->fd = open(path, O_PATH | O_CLOEXEC);
	job->copy.fd = -1;
	assert_false(unwind_jobs_are_full(j, owner));
	unwind_jobs_build(j, job);
}

static struct unwind_job *take_job(struct unwind_jobs *j)
{
	struct pollfd p = { .fd = unwind_jobs_fd(j), .events = POLLIN };
	struct unwind_job *job;

	while (!(job = unwind_jobs_take(j)))
		assert_int_equal(poll(&p, 1, 60000), 1);
	return job;
}

/* The next that is through; how many rows its table has. */
static uint32_t take(struct unwind_jobs *j, uint32_t *ret_rows)
{
	struct unwind_job *job = take_job(j);
	uint32_t id = job->id;

	assert_false(job->is_opened);
	*ret_rows = job->table ? job->table->nr_rows : 0;
	unwind_job_free(job);
	return id;
}

static void long_ones_are_not_waited_for(void **state)
{
	int large = file_of_rows(LARGE), small = file_of_rows(SMALL);
	struct worker_pool *pool;
	struct unwind_jobs *j;
	uint32_t rows, id[4], nr_large = 0;

	assert_int_equal(worker_pool_new(&pool), 0);
	worker_pool_set_patience(pool, 60000000000ull);
	assert_int_equal(unwind_jobs_new(pool, NULL, &j), 0);
	add(j, large, A, 1);
	usleep(20000);
	add(j, large, A, 2);
	add(j, small, B, 3);
	add(j, small, B, 4);
	for (int i = 0; i < 4; i++) {
		id[i] = take(j, &rows);
		if (id[i] >= 3)
			assert_in_range(rows, SMALL, SMALL + 4);
		nr_large += id[i] < 3;
	}
	/* Both of the other's, while the first long one was on. */
	assert_int_equal(id[0], 3);
	assert_int_equal(id[1], 4);
	assert_int_equal(id[2], 1);
	assert_int_equal(nr_large, 2);
	assert_int_equal(unwind_jobs_nr(j), 0);
	unwind_jobs_free(j);
	worker_pool_free(pool);
	close(large);
	close(small);
}

/* Of one owner in the order in which they were asked for, for there is one at a time. */
static void one_of_each_owner(void **state)
{
	int large = file_of_rows(LARGE / 4), small = file_of_rows(SMALL);
	struct worker_pool *pool;
	struct unwind_jobs *j;
	uint32_t rows;

	assert_int_equal(worker_pool_new(&pool), 0);
	worker_pool_set_patience(pool, 60000000000ull);
	assert_int_equal(unwind_jobs_new(pool, NULL, &j), 0);
	add(j, large, A, 1);
	add(j, small, A, 2);
	add(j, small, A, 3);
	for (uint32_t i = 1; i <= 3; i++)
		assert_int_equal(take(j, &rows), i);
	unwind_jobs_free(j);
	worker_pool_free(pool);
	close(large);
	close(small);
}

/* What is mapped is opened, and the same job goes on; of what is not, it says why. */
static void mappings_are_opened(void **state)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	int fd = file_of_rows(SMALL);
	char *p = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	struct eddy_file_event ev = { .pid = getpid(),
				      .start = (uintptr_t)p,
				      .end = (uintptr_t)p + page };
	struct unwind_jobs *j;
	struct unwind_job *job;
	struct stat st;
	uint32_t rows;

	if (geteuid())
		skip(); /* following the link takes a capability */
	assert_int_equal(fstat(fd, &st), 0);
	ev.key.ino = st.st_ino;
	ev.key.dev = file_key_dev(st.st_dev);
	assert_int_equal(unwind_jobs_new(NULL, NULL, &j), 0);
	job = unwind_jobs_open(j, &ev, A);
	if (!job) { /* it took long */
		assert_int_equal(unwind_jobs_nr(j), 1);
		job = take_job(j);
	}
	assert_true(job->is_opened);
	assert_int_equal(job->err, 0);
	assert_true(job->fd >= 0);
	assert_int_equal(unwind_jobs_nr(j), 0);
	job->id = 7;
	unwind_jobs_build(j, job);
	assert_int_equal(take(j, &rows), 7);
	assert_in_range(rows, SMALL, SMALL + 4);
	munmap(p, page);
	job = unwind_jobs_open(j, &ev, A);
	if (!job)
		job = take_job(j);
	assert_true(job->is_opened);
	assert_int_equal(job->err, -ESRCH);
	unwind_job_free(job);
	unwind_jobs_free(j);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_ones_are_not_waited_for),
		cmocka_unit_test(one_of_each_owner),
		cmocka_unit_test(mappings_are_opened),
	};

	if (test_is_emulated())
		return 0;
	return cmocka_run_group_tests_name("unwind_jobs", tests, NULL, NULL);
}
