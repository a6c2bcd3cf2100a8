// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gen_windows DIR HOST START SECONDS WINDOWS SAMPLES: a host's directory as `eddy snapshot` writes
 * it. START is in seconds since 1970.  Stacks are drawn from a pool of 20 000, a few of them most
 * of the time (Zipf), as on a machine that serves something; the same on every run.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "archive/snapshot_name.h"
#include "output/folded.h"
#include "util/mem.h"

#include "../random.h"

enum { POOL = 20000, FUNCTIONS = 1000, DEEPEST = 40 };

struct pool {
	frame_id *stacks[POOL];
	size_t depth[POOL];
};

/* A stack shares its beginning with one made shortly before, as stacks of one program do. */
static void pool_init(struct pool *pool, struct frame_table *frames)
{
	for (size_t i = 0; i < POOL; i++) {
		size_t from = i > 8 ? i - 1 - test_random() % 3 : 0, shared = 0;
		size_t depth = 6 + test_random() % (DEEPEST - 6);

		pool->stacks[i] = xcalloc(DEEPEST, sizeof(frame_id));
		pool->depth[i] = depth;
		if (i)
			shared = (pool->depth[from] < depth ? pool->depth[from] : depth) * 5 / 6;
		for (size_t k = 0; k < depth; k++) {
			char name[64];

			snprintf(name, sizeof(name), "module_%zu::function_%" PRIu64 "%s", k % 7,
				 test_random() % FUNCTIONS, k > 30 ? "_[k]" : "");
			pool->stacks[i][k] =
				k < shared ? pool->stacks[from][k]
					   : frame_table_add_text(frames, name, strlen(name));
		}
	}
}

/* A rank with a probability falling as 1/rank. */
static size_t zipf(void)
{
	return (size_t)pow(POOL, (test_random() >> 11) * 0x1p-53) - 1;
}

static void write_window(const char *dir, int64_t start, unsigned int seconds,
			 const struct profile *p, const char *host)
{
	struct snapshot_name name = { .start_s = start, .seconds = seconds, .is_gzip = true };
	char file[SNAPSHOT_NAME_BYTES], begin[32], end[32];
	time_t times[2] = { start, start + seconds };
	FILE *f;

	snapshot_name_format(&name, file);
	{
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, file);
		_cleanup_free_ char *json = xasprintf("%s.json", path);

		f = fopen(path, "w");
		if (!f || folded_gzip_writer.write(f, p, &(struct writer_opts){ 0 }, NULL) < 0 ||
		    fclose(f))
			exit(1);
		f = fopen(json, "w");
		if (!f)
			exit(1);
	}
	strftime(begin, sizeof(begin), "%Y-%m-%dT%H:%M:%S", gmtime(&times[0]));
	strftime(end, sizeof(end), "%Y-%m-%dT%H:%M:%S", gmtime(&times[1]));
	fprintf(f,
		"{\n  \"version\": 1,\n  \"host\": \"%s\",\n  \"kernel\": \"6.18.44\",\n"
		"  \"arch\": \"x86_64\",\n  \"event\": \"cpu-clock\",\n  \"freq_hz\": 99,\n"
		"  \"cpus\": 2,\n  \"start\": \"%s.000Z\",\n  \"end\": \"%s.000Z\",\n"
		"  \"samples\": {\"due\": %u, \"delivered\": %u, \"idle\": 0, \"filtered\": 0, "
		"\"kept\": %" PRIu64 ", \"lost\": 0},\n  \"losses\": {},\n"
		"  \"cost\": {\"bpf_ns_per_sample\": 4100.0, \"cpu_seconds\": 0.030, "
		"\"max_rss_bytes\": 20000000},\n  \"notes\": [\n    \"cpu-clock is blind where "
		"interrupts are off\"\n  ]\n}\n",
		host, begin, end, 198 * seconds, 198 * seconds, profile_total(p));
	fclose(f);
}

int main(int argc, char **argv)
{
	_cleanup_frame_table_ struct frame_table *frames = frame_table_new();
	struct pool *pool = xcalloc(1, sizeof(*pool));
	unsigned int seconds;
	uint64_t samples;
	int64_t start;

	if (argc != 7)
		return 2;
	start = atoll(argv[3]);
	seconds = atoi(argv[4]);
	samples = atoll(argv[6]);
	{
		_cleanup_free_ char *dir = xasprintf("%s/%s", argv[1], argv[2]);

		mkdir(argv[1], 0777);
		mkdir(dir, 0777);
		pool_init(pool, frames);
		for (long w = 0; w < atol(argv[5]); w++) {
			_cleanup_profile_ struct profile *p = profile_new(frames);

			for (uint64_t s = 0; s < samples; s++) {
				size_t i = zipf();

				profile_add(p, profile_stack(p, pool->stacks[i], pool->depth[i]),
					    1);
			}
			write_window(dir, start + w * seconds, seconds, p, argv[2]);
		}
	}
	return 0;
}
