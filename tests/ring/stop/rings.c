#include "rings.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/ring/thread.h"
#include "../../../libtrace/session/attach.h"

enum { SECTION = 4096, SECTIONS = 4, HOLDER_MAJOR = 2, HELD_BYTES = 200 };

struct session box;
const struct kind *kind;
uint64_t own;

static uint32_t ring; /* the first one that all writers try */
static bool draining;
static pid_t holder;

void open_rings(const struct kind *of)
{
	kind = of;
	box_open(&box, kind->mode, SECTIONS * SECTION, SECTION);
	ring = box_pin(0);
	if (kind->guest)
		ring = box.geometry.cpus;
}

void drain(void)
{
	draining = kind->mode == SHM_MODE_CONTINUOUS;
}

/* Attaches, and selects the rings of the trial: all start their search at the same guest ring. */
void attach_writer(void)
{
	attach_discover();
	attach_ready(CHECKED_MAJOR);
	if (kind->guest)
		box_become_guest(0);
}

void hook_of(uint32_t id, uint32_t sequence)
{
	checked_hook(id, sequence, sequence % 5 == 0 ? 600 : sequence * 13 % 100);
}

static uint64_t all_heads(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < box.geometry.cpus + box.geometry.guests; i++)
		sum += box_ring(&box, i).head;
	return sum;
}

/* Releases like a drain that never waits: writers may advance by a ring's size. */
static void release(void)
{
	for (uint32_t i = 0; draining && i < box.geometry.cpus + box.geometry.guests; i++)
		__atomic_store_n(&box.control->ring[i].released,
			ring_released_word(&box.geometry, box.generation, box_ring(&box, i).head),
			__ATOMIC_RELEASE);
}

/* The others write laps of all rings, or hooks until the rings are full. */
bool others(uint32_t laps)
{
	uint64_t to = all_heads() + laps * box.geometry.ring_size;
	uint32_t lost = 0;

	for (uint32_t i = 0; i < MOST_HOOKS && all_heads() < to && lost < 50; i++) {
		release();
		lost += checked_hook(VICTIMS, (uint32_t)own++, i % 100) != PU_SUCCESS;
	}
	return all_heads() >= to || (kind->mode == SHM_MODE_NORMAL && lost == 50);
}

/* ------------------------------------------------------------------- the rings */

/* Number of rings that a trial uses: with guest rings also the one after a ring that a stopped
 * writer has locked. */
uint32_t rings_used(void)
{
	return kind->guest ? VICTIMS + 1 : 1;
}

/* Starts a process that holds a section of each ring, so that writers must skip one. When
 * continued, it exits with 0 if its bytes are unchanged. */
static void hold_record(void)
{
	uint32_t touched = 0;
	int status;

	holder = fork();
	if (holder == 0) {
		struct hook_writer w[VICTIMS + 1];

		attach_writer();
		for (uint32_t i = 0; i < rings_used(); i++) {
			if (hook_begin(&w[i], HOLDER_MAJOR, HELD_BYTES, 1) != HOOK_RESERVED)
				_exit(1);
			memset(w[i].first + REC_HEADER_SIZE, 0x33, HELD_BYTES - REC_HEADER_SIZE);
			ring_self.guest++;
		}
		raise(SIGSTOP);
		for (uint32_t i = 0; i < rings_used(); i++) {
			for (uint32_t at = REC_HEADER_SIZE; at < HELD_BYTES; at++)
				touched += w[i].first[at] != 0x33;
			touched += get_le32(w[i].first) != HELD_BYTES;
		}
		_exit(touched != 0);
	}
	if (waitpid(holder, &status, WUNTRACED) != holder || !WIFSTOPPED(status))
		die("no holder");
	own += rings_used();
}

void prepare_rings(void)
{
	struct session_config c = {.ring_bytes = SECTIONS * SECTION,
		.section_bytes = SECTION,
		.mode = kind->mode,
		.group = (gid_t)-1};

	if (session_off(&box, NULL) != 0 || session_init(&box, &c, NULL) != 0 ||
		session_on(&box, NULL) != 0)
		die("new rings");
	attach_writer();
	own = 0;
	draining = false;
	hook_of(VICTIMS, (uint32_t)own++);
	hold_record();
	/* The held section is the second to last of those that may be entered from here. */
	while (box_ring(&box, ring).head < 2 * SECTION)
		hook_of(VICTIMS, (uint32_t)own++);
	if (kind->mode == SHM_MODE_NORMAL) {
		if (session_discard(&box, NULL) != 0)
			die("discard");
		own = 0;
	}
	drain();
	release();
	draining = false;
}

bool holder_is_fine(void)
{
	int status;

	kill(holder, SIGCONT);
	return waitpid(holder, &status, 0) == holder && status == 0;
}
