/* Rings that a member of the trace group scribbles on. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libtrace/ring/layout.h"
#include "../lib/random.h"
#include "drained.h"

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static void overwrite_rings(uint64_t offset, const void *bytes, size_t size)
{
	ck_assert_int_eq(pwrite(box.s.rings_fd, bytes, size, (off_t)offset), (ssize_t)size);
}

/* The ring that this thread writes to. */
static uint32_t my_ring(void)
{
	uint32_t rings = box.s.geometry.cpus + box.s.geometry.guests;

	for (uint32_t i = 0; i < rings; i++)
		if (box_ring(&box.s, i).head)
			return i;
	ck_abort_msg("no hook was written");
	return 0;
}

static uint64_t released_of(uint32_t ring)
{
	return ring_released(&box.s.geometry, box.s.generation, box.s.control->ring[ring].released);
}

/* `released` never exceeds the positions that writers can have reached. */
static void bounded(const uint64_t *before)
{
	const struct shm_geometry *g = &box.s.geometry;

	for (uint32_t i = 0; i < g->cpus + g->guests; i++) {
		uint64_t released = released_of(i);

		ck_assert_uint_eq(released % g->section_size, 0);
		ck_assert_uint_ge(released, before[i]);
		ck_assert_uint_le(released, before[i] + g->ring_size);
	}
}

static void note(uint64_t *released)
{
	for (uint32_t i = 0; i < SHM_MAX_RINGS; i++)
		released[i] = released_of(i);
}

START_TEST(heads_of_nonsense_are_no_positions)
{
	struct shm_ring good;
	uint64_t released[SHM_MAX_RINGS];

	box_start(8);
	write_hooks(3 * PER_SECTION + 5);
	uint32_t ring = my_ring();
	uint64_t at = ring_offset(&box.s.geometry, ring);
	good = box_ring(&box.s, ring);
	const uint64_t heads[] = {0, 1, 7, good.head + 4, good.head + 8 * SECTION, 8 * SECTION + 8,
		UINT64_MAX, UINT64_MAX - 7, (uint64_t)1 << 63, 5};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		overwrite_rings(at, &heads[i], 8);
		note(released);
		box_rounds();
		bounded(released);
		ck_assert_uint_eq(released_of(ring), 0);
		struct drain_status status;
		drain_status(box.d, &status);
		if (heads[i])
			ck_assert_uint_ge(status.damaged, 1);
	}
	overwrite_rings(at, &good.head, 8);
	box_rounds();
	ck_assert_uint_eq(released_of(ring), 3 * SECTION);
	box_finish_clean();
}
END_TEST

START_TEST(a_start_of_nonsense_discards_nothing)
{
	box_start(8);
	write_hooks(3 * PER_SECTION + 5);
	uint32_t ring = my_ring();
	/* The value that session_discard copies from a falsified head. */
	box.s.control->ring[ring].start = (uint64_t)1 << 40;
	box_rounds();
	ck_assert_uint_eq(released_of(ring), 3 * SECTION);
	box_finish_clean();
}
END_TEST

/* Any word of the ring file, at any time: it ends, it stays in its bounds, and the file is
 * one that decodes. */
START_TEST(scribbling_ends_nothing)
{
	struct contents c;
	uint64_t released[SHM_MAX_RINGS];

	box_begin(4);
	const struct shm_geometry *g = &box.s.geometry;
	write_hooks(2);
	uint32_t ring = my_ring();
	box_drain();
	for (int i = 0; i < (SANITIZED ? 1000 : 5000); i++) {
		uint64_t word = random64(&random_state) >> (random64(&random_state) & 63);
		uint64_t at = ring_offset(g, ring);

		write_hooks(1 + (uint32_t)(random64(&random_state) % 150));
		if (random64(&random_state) % 2)
			at += random64(&random_state) % (sizeof(struct shm_ring) + 4 * 64) & ~7ull;
		else
			at += g->data_offset + (random64(&random_state) % g->ring_size & ~3ull);
		if (random64(&random_state) % 3)
			overwrite_rings(at, &word, random64(&random_state) % 2 ? 8 : 4);
		if (i % 50 == 0) { /* and a head that writers can go on from */
			word = released_of(ring);
			overwrite_rings(ring_offset(g, ring), &word, 8);
		}
		note(released);
		struct session_error e = {""};
		int rc = drain_round(box.d, &e);
		ck_assert_msg(rc >= 0, "%s", e.text);
		bounded(released);
		if (i % 500 == 499) {
			box_finish();
			box_drain();
		}
	}
	box_finish_read(&c);
	ck_assert_uint_eq(c.damaged_bytes, 0);
	ck_assert(!c.cut_off);
	contents_free(&c);
}
END_TEST

START_TEST(a_truncated_ring_file_is_read_up_to_its_end)
{
	struct drain_status status;

	box_start(8);
	write_hooks(3 * PER_SECTION + 5);
	box_rounds();
	session_off(&box.s, NULL);
	ck_assert_int_eq(ftruncate(box.s.rings_fd, 4096), 0);
	box_rounds();
	box_finish_status(&status);
	ck_assert_uint_eq(status.damaged, box.s.geometry.cpus + box.s.geometry.guests);
	file_expect_clean(box.config.path, 3 * PER_SECTION);
}
END_TEST

START_TEST(tables_that_were_cut_off_stop_nothing)
{
	box_begin(8);
	box.config.rotate = 6000;
	box_drain();
	write_hooks(3);
	ck_assert_int_eq(ftruncate(box.s.tasks_fd, 0), 0);
	ck_assert_int_eq(ftruncate(box.s.schemas_fd, 10), 0);
	session_off(&box.s, NULL);
	usleep(30000);
	box_rounds();
	box_finish();
	file_expect_clean(box.config.path, 3);
	box_close();
	box_drain();
	box_finish();
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {heads_of_nonsense_are_no_positions,
		a_start_of_nonsense_discards_nothing, scribbling_ends_nothing,
		a_truncated_ring_file_is_read_up_to_its_end, tables_that_were_cut_off_stop_nothing,
		NULL};

	return drain_suite("hostile", tests, argc, argv);
}
