/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the workloads share.  They work by processor time, not by the clock, so the samples one
 * may expect do not depend on what else runs; and they print what they really did:
 * "truth NAME NANOSECONDS", one line a function, on standard output at the end.
 */
#ifndef EDDY_WORKLOADS_WORK_H
#define EDDY_WORKLOADS_WORK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define NAMED __attribute__((noinline))
#else
#define NAMED __attribute__((noinline, noclone, used))
#endif

/* gcc leaves out the frame of a leaf that needs no stack unless the frame is named. */
#define OWN_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory")

/*
 * A system call that stands in the function itself: through libc, which has no frame pointers, a
 * frame-pointer walk would lose the function that asks.
 */
static inline __attribute__((always_inline)) long call_kernel(long nr, long a, long b, long c)
{
#ifdef __x86_64__
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#else
	return syscall(nr, a, b, c);
#endif
}

static inline __attribute__((always_inline)) uint64_t thread_cpu_ns(void)
{
	struct timespec t;

	call_kernel(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Arithmetic that stays in the function it is written in: about 1 ns a turn. */
#define TURN(n)                                                \
	do {                                                   \
		for (uint32_t turn_ = 0; turn_ < (n); turn_++) \
			__asm__ volatile("" : : : "memory");   \
	} while (0)

/*
 * What was done, in blocks of equal work, for a program that defines COUNT_WORK.  On a machine that
 * is itself emulated or shares its processor, processor time goes on while nothing runs; work does
 * not.
 */
#ifdef COUNT_WORK
static uint64_t work_blocks;
#define WORK_DONE() (work_blocks++)
#else
#define WORK_DONE() ((void)0)
#endif

/* Works in the calling function until ns of its thread's processor time are over. */
#define BURN_NS(ns)                                     \
	do {                                            \
		uint64_t end_ = thread_cpu_ns() + (ns); \
		OWN_FRAME();                            \
		do {                                    \
			TURN(100000);                   \
			WORK_DONE();                    \
		} while (thread_cpu_ns() < end_);       \
	} while (0)

static inline uint64_t work_random(void)
{
	static __thread uint64_t x = 88172645463325252ull;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return x * 2685821657736338717ull;
}

/* The first argument: processor seconds to work for. */
static inline uint64_t work_ns(int argc, char **argv, double otherwise)
{
	double seconds = argc > 1 ? atof(argv[1]) : otherwise;

	return seconds * 1e9;
}

/*
 * The same, in seconds of whatever the program counts.  0: until it is killed; but a test that is
 * itself killed leaves it behind, so it ends after a quarter of an hour.
 */
static inline double work_seconds(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;

	return seconds > 0 ? seconds : 900;
}

static inline void truth(const char *name, uint64_t ns)
{
	printf("truth %s %llu\n", name, (unsigned long long)ns);
	fflush(stdout);
}

#endif
