/*
 * Kills a writer behind each instruction of an operation. Committed hooks remain; the killed hook
 * is absent, torn or complete, depending on the instruction; the ledger is exact; other writers
 * continue; and what the dead writer held is reclaimed.
 *
 *	kill_every_instruction [guest] [SCENE]
 *
 * The parent prepares the rings and copies them. One child runs the complete operation, to record
 * its path and the expected ledger behind each instruction. Then the parent restores the copy and
 * kills a new child at an instruction, repeatedly.
 *
 * A killed process leaves only shared memory. An instruction that changes none of it makes no
 * difference to a kill. Outside sequences the test therefore kills behind each instruction that
 * changes shared memory, and behind a sample of the others to verify that. Inside sequences it
 * kills behind each instruction.
 */
#include <errno.h>
#include <signal.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../formats/cpi_hooks.h"
#include "../../../formats/trace_file.h"
#include "../../../libtrace/core/clock.h"
#include "../../../libtrace/dump/dump.h"
#include "../../../libtrace/ring/thread.h"
#include "scenes.h"
#include "steps.h"
#include "traced.h"

/*
 * OTHERS: hooks of other writers after each kill, more than two laps. TRIES: attempts to get a
 * child to the instruction. CHANGE: kill behind every CHANGE-th instruction that changes shared
 * memory; with sanitizers many of them are theirs. SAMPLE: and behind every SAMPLE-th instruction.
 */
enum { OTHERS = 150, TRIES = 50, CHANGE = SANITIZED ? 4 : 1, SAMPLE = SANITIZED ? 160 : 48 };

struct session box;
uint32_t ring;

static const struct scene *scene;
static uint8_t *rings, *rings_before; /* the complete ring file, and its copy */
static const struct shm_task_file *tasks;
static uint64_t released_before;
static struct account before;
static bool draining;
static uint32_t sequence_before, sequence_now;
/* Addresses in sequences at which a child was killed. Shared by the scenes' processes. */
enum { MOST_KILLED = 4096 };
static uintptr_t *killed_at;

/* ------------------------------------------------------------------ the others */

void others(uint32_t hooks)
{
	for (uint32_t i = 0; i < hooks; i++) {
		if (draining)
			__atomic_store_n(&box.control->ring[ring].released,
				ring_released_word(
					&box.geometry, box.generation, box_ring(&box, ring).head),
				__ATOMIC_RELEASE);
		checked_hook(7, sequence_now++, i % 100);
	}
}

struct seen {
	struct follow follow;
	uint32_t operations, not_whole;
};
static struct seen seen;

static void collect_record(void *arg, uint32_t in, uint64_t position, const uint8_t *record)
{
	struct seen *s = arg;

	if (record[REC_MAJOR] != OP_MAJOR && record[REC_MAJOR] != CPI_MAJOR) {
		follow_record(&s->follow, in, position, record);
		return;
	}
	s->operations++;
	s->not_whole += !operation_is_whole(record);
}

static void read_account(struct account *a)
{
	follow_reset(&seen.follow, box.geometry.cpus + box.geometry.guests);
	seen.operations = seen.not_whole = 0;
	box_account(&box, a, collect_record, &seen);
}

static bool is_sound(const struct account *a)
{
	return !a->damaged && !a->backwards && !seen.not_whole && !seen.follow.not_whole &&
	       !seen.follow.out_of_order && !seen.follow.foreign;
}

static uint64_t torn_of(const struct account *a)
{
	return a->torn + a->gone_torn;
}

static struct shm_ring *ring_now(void)
{
	return ring_at(rings, &box.geometry, ring);
}

static bool locked_by_the_dead(void)
{
	uint32_t lock = __atomic_load_n(&ring_now()->lock, __ATOMIC_RELAXED);

	return lock != 0 && lock != ring_self.number;
}

/* The operation's state by the ledger: one of four, or invalid. */
static enum phase phase_of(const struct account *now)
{
	uint64_t sum = account_sum(now) - account_sum(&before);
	uint64_t torn = torn_of(now) - torn_of(&before);
	uint64_t lost = account_lost(now) - account_lost(&before);

	if (sum == 0 && torn == 0 && lost == 0)
		return NOTHING;
	if (sum == 1 && torn == 1 && lost == 0)
		return TORN;
	if (sum == scene->hooks && torn == 0 && lost == 0)
		return WHOLE;
	return sum == scene->hooks && torn == 0 && lost == scene->hooks ? LOST : NO_PHASE;
}

/* ----------------------------------------------------------------- a child */

static void put_back(void)
{
	memcpy(rings, rings_before, box.geometry.file_size);
	__atomic_store_n(&box.control->ring[ring].released, released_before, __ATOMIC_RELEASE);
	sequence_now = sequence_before;
}

/* Attaches, touches all pages and binds all functions; afterwards the copy is restored. */
static void warm_up(void *arg)
{
	(void)arg;
	scene->operation();
	scene->operation();
	if (scene->guest)
		box_become_guest((box.geometry.guests - scene->ring_after) % box.geometry.guests);
}

static void operate(void *arg)
{
	(void)arg;
	scene->operation();
}

static pid_t fork_child(void)
{
	pid_t child;

	/* The operation's path depends on which sections a process has populated, so warm up on the
	 * rings that the children find. */
	put_back();
	child = steps_fork(warm_up, operate, NULL);
	if (!child)
		die("%s: no child stops in front of the operation", scene->name);
	put_back();
	return child;
}

/* ------------------------------------------------------------- the expectation */

struct expected {
	uint8_t phase;
	bool locked;
	bool unchanged; /* the instruction changed nothing in shared memory */
	uint64_t head;
};
static struct expected *expected;

/* All that a killed process leaves behind: the ring file, the control file, and of the task table
 * what is in use. */
enum { MOST_TASKS = 512 };
static struct left {
	uint8_t *rings;
	struct shm_control control;
	struct shm_task_header tasks;
	uint32_t given_entry[MOST_TASKS];
	struct shm_task slot[MOST_TASKS];
} left;

/* Copies a part of the shared memory; returns whether the copy was equal already. */
static bool copied_again(void *copy, const void *part, size_t bytes)
{
	if (memcmp(copy, part, bytes) == 0)
		return true;
	memcpy(copy, part, bytes);
	return false;
}

static bool left_again(void)
{
	bool again = copied_again(left.rings, rings, box.geometry.file_size);

	if (tasks->head.used > MOST_TASKS)
		die("more than %u tasks", MOST_TASKS);
	again &= copied_again(&left.control, box.control, sizeof left.control);
	again &= copied_again(&left.tasks, &tasks->head, sizeof left.tasks);
	again &= copied_again(left.given_entry, tasks->given_entry, sizeof left.given_entry);
	return copied_again(left.slot, tasks->slot, sizeof left.slot) && again;
}

static void expect(void *arg, uint32_t k)
{
	struct account a;

	(void)arg;
	expected[k].unchanged = left_again() && k > 0;
	if (expected[k].unchanged) {
		expected[k] = expected[k - 1];
		expected[k].unchanged = true;
		return;
	}
	read_account(&a);
	expected[k].phase = (uint8_t)(is_sound(&a) ? phase_of(&a) : NO_PHASE);
	expected[k].locked = locked_by_the_dead();
	expected[k].head = ring_now()->head;
}

/* Expects the sequence: nothing, torn from the store of head on, complete from the commit on; each
 * once. */
static bool in_order(const struct steps_path *path)
{
	uint32_t phases[NO_PHASE + 1] = {0}, back = 0, not_at_head = 0;
	uint64_t last_head = expected[path->n].head;

	for (uint32_t k = 0; k <= path->n; k++) {
		phases[expected[k].phase]++;
		back += k > 0 && expected[k].phase < expected[k - 1].phase;
		if (scene->last == WHOLE)
			not_at_head +=
				(expected[k].phase == NOTHING) != (expected[k].head != last_head);
	}
	count_result(!back && !not_at_head && !phases[NO_PHASE] && phases[NOTHING] &&
			     phases[scene->last] && (scene->last == WHOLE) == (phases[TORN] != 0),
		scene->name,
		"%u instructions: nothing yet behind %u, torn %u, complete %u, lost %u; wrong ledgers %u, back %u, not from the store of head on %u",
		path->n, phases[NOTHING], phases[TORN], phases[WHOLE], phases[LOST],
		phases[NO_PHASE], back, not_at_head);
	return !back && !phases[NO_PHASE];
}

static bool record(struct steps_path *path)
{
	pid_t child = fork_child();
	bool there;

	expected = calloc(STEPS_MOST + 1, sizeof *expected);
	if (!expected)
		die("memory");
	there = steps_record(child, path, expect, NULL);
	steps_kill(child);
	count_result(there && steps_sequences(path) == scene->sequences, scene->name,
		"goes through %u sequences", steps_sequences(path));
	return there && in_order(path);
}

/* -------------------------------------------------------------------- kills */

struct tally {
	uint32_t kills, by_breakpoint, astray;
	uint32_t wrong; /* and the first of them: */
	uint32_t where;
	const char *what;
};

static void note_wrong(struct tally *t, uint32_t k, bool ok, const char *what)
{
	if (ok)
		return;
	if (t->wrong++ == 0) {
		t->where = k;
		t->what = what;
	}
}

/* Whether a dump decodes and agrees with the rings. */
static bool dump_agrees(const struct account *a)
{
	static char path[PATH_MAX];
	struct dump_options options = {.path = path, .codec = TF_CODEC_LZ4};
	struct traced t;

	snprintf(path, sizeof path, "%s/kill.bin", sandbox_dir());
	return dump_write(&box, &options, NULL, NULL) == 0 &&
	       traced_read(path, box.geometry.cpus, &t, NULL, NULL) == 0 && !t.cut_off &&
	       !t.malformed && !t.damaged && !t.damaged_bytes && !t.rest && t.hooks == a->hooks &&
	       traced_lost(&t) == account_lost(a) && traced_sum(&t, ~0ull) == account_sum(a);
}

/* The child is dead: its share of the ledger is `phase` for good. */
static void check_after_death(struct tally *t, uint32_t k)
{
	enum phase phase = (enum phase)expected[k].phase;
	uint64_t torn = phase == TORN;
	struct account killed, gone_on, in_the_end;
	uint64_t head;
	int back;

	read_account(&killed);
	note_wrong(t, k, is_sound(&killed), "the rings are not sound");
	note_wrong(t, k, phase_of(&killed) == phase, "the books say something else");
	note_wrong(t, k, seen.operations == (phase == WHOLE ? scene->hooks : 0),
		"a committed record is missing, or an uncommitted one is there");
	note_wrong(t, k, dump_agrees(&killed), "the dump says something else");
	draining = scene->mode == SHM_MODE_CONTINUOUS;
	others(OTHERS);
	read_account(&gone_on);
	note_wrong(t, k, is_sound(&gone_on), "the rings are damaged after the others continued");
	note_wrong(t, k, account_sum(&gone_on) == account_sum(&killed) + OTHERS,
		"the sum is not exact");
	note_wrong(t, k,
		gone_on.torn == before.torn + torn && gone_on.gone_torn == before.gone_torn,
		"a writer overwrote a held section");
	back = session_reclaim(&box);
	note_wrong(
		t, k, back == (int)torn + expected[k].locked, "held resources were not released");
	head = ring_now()->head;
	others(OTHERS);
	read_account(&in_the_end);
	draining = false;
	note_wrong(t, k, is_sound(&in_the_end), "the rings are not sound after it was given back");
	note_wrong(t, k, account_sum(&in_the_end) == account_sum(&gone_on) + OTHERS,
		"the sum is not exact in the end");
	if (scene->blocked)
		return;
	note_wrong(t, k, ring_now()->head >= head + box.geometry.ring_size, "the ring is dead");
	note_wrong(t, k, account_lost(&in_the_end) == account_lost(&gone_on),
		"hooks are lost for good");
	note_wrong(t, k, in_the_end.torn == before.torn, "its section did not come back");
	note_wrong(t, k, in_the_end.gone_torn == before.gone_torn + torn,
		"its torn record went astray");
	if (!holder)
		note_wrong(t, k, in_the_end.loss[SHM_SKIPPED] - gone_on.loss[SHM_SKIPPED] <= 1,
			"sections are skipped for good");
}

static void kill_behind(struct tally *t, const struct steps_path *path, uint32_t k)
{
	for (int i = 0; i < TRIES; i++) {
		pid_t child = fork_child();
		enum steps_arrival how = steps_go(child, path, k);

		steps_kill(child);
		if (how == STEPS_ASTRAY) {
			t->astray++;
			continue;
		}
		t->kills++;
		t->by_breakpoint += how == STEPS_BY_BREAKPOINT;
		note_wrong(t, k, steps_inside(path, k) == (how == STEPS_BY_BREAKPOINT),
			"stepped inside a sequence");
		check_after_death(t, k);
		return;
	}
	note_wrong(t, k, false, "no child got there");
}

/* Whether no scene of this program has killed at this address yet; notes it. */
static bool first_kill_at(uintptr_t address)
{
	uint32_t i = 0;

	while (i < MOST_KILLED && killed_at[i] && killed_at[i] != address)
		i++;
	if (i == MOST_KILLED)
		die("more than %u instructions in sequences", i);
	if (killed_at[i])
		return false;
	killed_at[i] = address;
	return true;
}

static void kill_everywhere(const struct steps_path *path)
{
	struct tally t = {.what = "nothing"};
	uint32_t inside = 0, passed = 0, wanted = 0, changes = 0;

	for (uint32_t k = 0; k <= path->n; k++) {
		bool changed = !expected[k].unchanged;

		if (steps_inside(path, k)) {
			passed++;
			/* On a slow machine: each state here, and each instruction in one scene. */
			if (SLOW_MACHINE > 1 && !first_kill_at(path->at[k]) && !changed)
				continue;
		} else {
			changed = changed && changes++ % CHANGE == 0;
			if (!changed && k % SAMPLE)
				continue;
		}
		wanted++;
		inside += steps_inside(path, k);
		kill_behind(&t, path, k);
	}
	count_result(t.wrong == 0 && t.kills == wanted && t.by_breakpoint == inside &&
			     (passed > 0) == (scene->sequences > 0),
		scene->name,
		"%u kills, %u of them inside sequences, behind %u changes outside; %u tries went astray; wrong %u",
		t.kills, t.by_breakpoint, (changes + CHANGE - 1) / CHANGE, t.astray, t.wrong);
	if (t.wrong)
		printf("%s: first wrong behind %u instructions (phase %u): %s\n", scene->name,
			t.where, expected[t.where].phase, t.what);
}

/* -------------------------------------------------------------------- a scene */

/* A live process (this one) locks all guest rings but the first. */
static void take_other_guests(void)
{
	checked_hook(7, sequence_now++, 1);
	for (uint32_t i = 1; i < box.geometry.guests; i++)
		__atomic_store_n(&ring_at(rings, &box.geometry, ring + i)->lock, ring_self.number,
			__ATOMIC_RELAXED);
}

static void set_up(void)
{
	uint64_t bytes;
	uint32_t cpu = box_pin(0);

	sequence_now = 0;
	holder = 0;
	box_open(&box, scene->mode, SECTIONS * SECTION, SECTION);
	bytes = box.geometry.file_size;
	follow_open(&seen.follow, box.geometry.cpus + box.geometry.guests);
	rings = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, box.rings_fd, 0);
	rings_before = malloc(bytes);
	left.rings = malloc(bytes);
	tasks = mmap(NULL, sizeof *tasks, PROT_READ, MAP_SHARED, box.tasks_fd, 0);
	if (rings == MAP_FAILED || tasks == MAP_FAILED || !rings_before || !left.rings)
		die("memory");
	ring = scene->guest ? box.geometry.cpus : cpu;
	if (scene->guest)
		take_other_guests();
	scene->prepare();
	session_reclaim(&box);
	memcpy(rings_before, rings, bytes);
	released_before = box.control->ring[ring].released;
	sequence_before = sequence_now;
	read_account(&before);
}

static void play_scene(const void *arg)
{
	struct steps_path path = {.n = 0};

	scene = arg;
	set_up();
	if (!is_sound(&before))
		count_result(false, scene->name, "damaged before the first hook");
	else if (record(&path))
		kill_everywhere(&path);
	if (holder)
		steps_kill(holder);
	steps_forget(&path);
	follow_close(&seen.follow);
	free(expected);
	free(left.rings);
	free(rings_before);
	munmap((void *)tasks, sizeof *tasks);
	munmap(rings, box.geometry.file_size);
	session_remove(&box);
	session_close(&box);
}

static int sandboxed_main(int argc, char **argv)
{
	bool guest = box_guest(argc, argv);
	const char *why, *only = argc > 1 + guest ? argv[1 + guest] : NULL;
	uint32_t played = 0;

	why = steps_impossible();
	if (!why && SEES_ONE_PROCESS)
		why = "most steps would be in the thread sanitizer";
	if (!why && !guest && !box_has_rseq())
		why = "no restartable sequences here";
	if (why) {
		count_skipped("kill at every instruction", why);
		return results();
	}
	killed_at = box_shared(MOST_KILLED * sizeof *killed_at);
	for (uint32_t i = 0; i < scene_count; i++) {
		if (scenes[i].guest == guest && (!only || strstr(scenes[i].name, only))) {
			scenario(play_scene, &scenes[i]);
			played++;
		}
	}
	if (!played)
		count_result(false, "scenes", "there is none of that name");
	return results();
}

int main(int argc, char **argv)
{
	/* A call of the clock takes other instructions each time. */
	if (clock_kind() == TF_CLOCK_MONOTONIC_RAW) {
		puts("skipped: the clock is a call here: a try would not go the same way as the first");
		return 77;
	}
	return sandbox_run(sandboxed_main, argc, argv, 500);
}
