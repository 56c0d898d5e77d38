/*
 * The two ways to read a thread's group of counters, in turn: what the instructions between
 * them are is known to be the same each time, so what they count must agree.
 *
 *	reads user|call		whether a read has to be one in user mode
 *
 * On stdout: what was compared; or why it does not agree, with exit status 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libtrace/counters/perf/group.h"
#include "loop.h"

enum { ROUNDS = 200, LENGTHS = 3, WARM = 3 };

static const uint64_t lengths[LENGTHS] = {1000, 100000, 3000000};
static bool in_user_mode;

static void open_group(struct perf_group *g)
{
	struct perf_event_attr attr[2];
	unsigned failed;
	int rc;

	memset(attr, 0, sizeof attr);
	for (int i = 0; i < 2; i++) {
		attr[i].type = PERF_TYPE_HARDWARE;
		attr[i].config = i ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
		attr[i].exclude_kernel = 1;
		attr[i].exclude_hv = 1;
	}
	rc = perf_group_open(g, attr, 2, 0, -1, &failed);
	if (rc) {
		printf("perf_group_open: %s (event %u)\n", strerror(-rc), failed);
		exit(1);
	}
	perf_group_map(g);
}

typedef int reader(const struct perf_group *g, struct perf_group_reading *r);

static uint64_t delta(reader *read, const struct perf_group *g, uint64_t turns, uint64_t *cycles)
{
	struct perf_group_reading from, to;

	if (read(g, &from) != 0)
		exit((puts("a read failed"), 1));
	loop_turns(turns);
	if (read(g, &to) != 0)
		exit((puts("a read failed"), 1));
	if (read == perf_group_read_here &&
		(from.in_user_mode != in_user_mode || to.in_user_mode != in_user_mode)) {
		printf("the reads were %sin user mode\n", to.in_user_mode ? "" : "not ");
		exit(1);
	}
	*cycles = to.count[1] - from.count[1];
	return to.count[0] - from.count[0];
}

/* How many instructions a reader adds to the loop's, which must be as many each time; but a tick
 * that comes amid a reading, and switches to another thread, has it read again. */
static uint64_t overhead(reader *read, const struct perf_group *g, const char *name)
{
	uint64_t more = 0, cycles;
	int disturbed = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t turns = lengths[round < 30 ? round % LENGTHS : 0];
		uint64_t n = delta(read, g, turns, &cycles) - LOOP_INSTRUCTIONS * turns;

		if (round == WARM)
			more = n;
		if (round > WARM && n != more && ++disturbed > 2) {
			printf("%s: %" PRIu64 " turns: %" PRId64
			       " instructions more, before %" PRIu64 "\n",
				name, turns, (int64_t)n, more);
			exit(1);
		}
		if (round > WARM && n < more)
			more = n;
	}
	if (more > 2000) {
		printf("%s: %" PRIu64 " instructions more than the loop's\n", name, more);
		exit(1);
	}
	return more;
}

/* The same counter, now one way and now the other: never back, and never far ahead. */
static void in_turn(const struct perf_group *g)
{
	struct perf_group_reading r;
	uint64_t last[2] = {0, 0};

	for (int i = 0; i < 2 * ROUNDS; i++) {
		int rc = i % 2 ? perf_group_read(g, &r) : perf_group_read_here(g, &r);

		for (int k = 0; k < 2; k++) {
			if (rc || r.count[k] <= last[k] ||
				(i > WARM && r.count[k] - last[k] > 3000)) {
				printf("in turn: read %d, event %d: %" PRIu64 " after %" PRIu64
				       " (%d)\n",
					i, k, r.count[k], last[k], rc);
				exit(1);
			}
			last[k] = r.count[k];
		}
		if (r.running > r.enabled) {
			puts("in turn: ran for longer than it was enabled");
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	struct perf_group g;
	uint64_t here, call;

	in_user_mode = argc > 1 && strcmp(argv[1], "user") == 0;
	open_group(&g);
	here = overhead(perf_group_read_here, &g, in_user_mode ? "in user mode" : "fallen back");
	call = overhead(perf_group_read, &g, "by a call");
	in_turn(&g);
	perf_group_close(&g, false);
	printf("exact over %d loops each; a read adds %" PRIu64
	       " instructions in user mode, %" PRIu64 " by a call\n",
		ROUNDS, here, call);
	return 0;
}
