#include "double.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/interval_hooks.h"
#include "../../include/perfutil.h"
#include "../../libtrace/core/clock.h"
#include "../../libtrace/ring/hook.h"
#include "../../libtrace/session/attach.h"

static struct ring_map double_map;
__thread struct ring_thread ring_self = {.map = &double_map};
static struct shm_control control;
const struct shm_control *ring_gate = &control;
struct ring_epoch_page ring_epoch;
struct attach_checked attach_checked;
struct ring_double ring_double = {.on = true, .limit = sizeof ring_double.bytes};

static uint32_t expected(void)
{
	return ring_double.major ? ring_double.major : CPI_TRACE_MAJOR;
}

/* Check's assertions take a lock even where they hold: a child forked while another thread had
 * it would wait for ever. */
static void is_expected(uint32_t major)
{
	if (major != expected())
		ck_abort_msg("major 0x%X", (unsigned)major);
}

int hook_begin_at(struct hook_writer *w, uint32_t major, uint32_t bytes, uint32_t hooks,
	const struct hook_time *at)
{
	struct ring_double *r = &ring_double;

	is_expected(major);
	r->size = 0;
	if (!r->on)
		return PU_SUCCESS;
	if (r->rc < 0 || bytes > r->limit || bytes > REC_MAX_SIZE) {
		r->refused++;
		return r->rc < 0 ? r->rc : PU_ERROR_HOOK_TOO_LONG;
	}
	ck_assert_uint_eq(bytes % REC_ALIGN, 0);
	double_map.geometry.cpus = r->cpus;
	double_map.geometry.ring_stride = sizeof r->bytes;
	double_map.rings = (uint8_t *)((uintptr_t)r->bytes - r->cpu * sizeof r->bytes);
	memset(r->bytes, 0xEE, bytes);
	put_le32(r->bytes, bytes | REC_KIND_HOOK);
	r->size = bytes;
	r->hooks = hooks;
	r->reservations++;
	if (r->sleeps)
		usleep(1000);
	r->stamped = r->stamp ? r->stamp : at && !r->sleeps ? at->ticks : clock_now();
	put_le32(r->bytes + REC_TID, 4711);
	put_le64(r->bytes + REC_STAMP, r->stamped);
	*w = (struct hook_writer){
		.first = r->bytes, .at = r->bytes, .stamp = r->stamped, .number = 4711};
	return HOOK_RESERVED;
}

void ring_double_hold(bool holds)
{
	ring_self.generation = holds;
	control.gate[CPI_TRACE_MAJOR] = control.gate[INTERVAL_MAJOR] = holds;
	attach_checked = (struct attach_checked){0, holds ? UINT64_MAX : 0};
}

void attach_discover(void)
{
}

uint32_t attach_find_label(const char *text, uint32_t length, uint64_t *cached)
{
	(void)cached;
	return ring_double.labels ? ring_double.labels + (uint32_t)text[0] + length : 0;
}

bool attach_wants(uint32_t major)
{
	return ring_double.on &&
	       (major == expected() || (major == INTERVAL_MAJOR && ring_double.with_time));
}

void attach_ready(uint32_t major)
{
	is_expected(major);
	ring_double.readied++;
}

bool attach_begin(uint32_t major, uint64_t now, bool *late)
{
	(void)now;
	attach_ready(major);
	*late = true;
	return attach_wants(major);
}

void attach_set_source(enum shm_source source, uint32_t flags)
{
	ring_double.source = source;
	ring_double.source_flags = flags;
}

void attach_refresh_name(void)
{
}

uint32_t attach_extras;

void ring_double_renew(const char *events)
{
	ring_double.events = events;
	__atomic_fetch_or(&attach_extras, ATTACH_EVENTS_NEW, __ATOMIC_RELAXED);
}

void attach_read_events(char list[SHM_EVENTS_BYTES])
{
	__atomic_fetch_and(&attach_extras, ~(uint32_t)ATTACH_EVENTS_NEW, __ATOMIC_RELAXED);
	snprintf(list, SHM_EVENTS_BYTES, "%s", ring_double.events ? ring_double.events : "");
}

static struct record_view view;

static uint32_t double_string_bytes(const uint8_t *p, uint32_t count)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += rec_string_bytes(get_le32(p + bytes));
	return bytes;
}

static uint32_t check_record(uint32_t at)
{
	const uint8_t *p = ring_double.bytes + at;
	uint32_t size, string_bytes;

	ck_assert_uint_le(at + REC_HEADER_SIZE, ring_double.size);
	view.control = get_le32(p);
	size = view.control & REC_SIZE_MASK;
	ck_assert_uint_le(at + size, ring_double.size);
	ck_assert_uint_eq(view.control & ~(REC_SIZE_MASK | REC_COMMITTED), 0);
	ck_assert(view.control & REC_COMMITTED);
	view.major = p[4];
	view.nstrings = p[5];
	view.nwords = get_le16(p + 6);
	view.minor = get_le32(p + 8);
	view.tid = get_le32(p + 12);
	view.stamp = get_le64(p + 16);
	ck_assert_uint_le(view.nwords, 20000);
	for (uint32_t i = 0; i < view.nwords; i++)
		view.word[i] = get_le32(p + REC_DATA + 4 * i);
	p += REC_DATA + 4 * view.nwords;
	view.length = view.nstrings ? get_le32(p) : 0;
	view.string = view.nstrings ? (const char *)p + 4 : NULL;
	view.strings = p;
	string_bytes = double_string_bytes(p, view.nstrings);
	ck_assert_uint_eq(size, rec_size(view.nwords, string_bytes));
	if ((4 * view.nwords + string_bytes) & 4)
		ck_assert_uint_eq(get_le32(ring_double.bytes + at + size - 4), 0);
	return size;
}

unsigned group_records(void)
{
	unsigned n = 0;

	for (uint32_t at = 0; at < ring_double.size; n++)
		at += check_record(at);
	ck_assert_uint_eq(n, ring_double.size ? ring_double.hooks : 0);
	return n;
}

const struct record_view *group_record(unsigned n)
{
	uint32_t at = 0;

	for (unsigned i = 0; i < n; i++)
		at += check_record(at);
	check_record(at);
	/* A CPI group comes first; hooks of the other major follow it. */
	if (n == 0 || view.major != INTERVAL_MAJOR)
		ck_assert_uint_eq(view.major, expected());
	ck_assert_uint_eq(view.tid, 4711);
	ck_assert_uint_eq(view.stamp, ring_double.stamped);
	return &view;
}

static char file_name[64];

static void remove_file(void)
{
	unlink(file_name);
}

const char *text_file(const char *text)
{
	int fd;

	if (!*file_name)
		atexit(remove_file);
	else
		unlink(file_name);
	strcpy(file_name, "/tmp/swtrace-test-XXXXXX");
	fd = mkstemp(file_name);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return file_name;
}
