#include "records.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/number.h"
#include "../core/file.h"
#include "../counters/perf/page.h"

enum {
	/* With its first page within the default of kernel.perf_event_mlock_kb. */
	BUFFER_BYTES = 256 << 10,
	/* With wake-ups, which nearly double the bytes of a switch. Root has no such limit. */
	WAKINGS_BUFFER_BYTES = 512 << 10,
	/* The longest record that is asked for, with room to spare: a name's takes 64. */
	LONGEST_RECORD = 256,
	/* Appended by sample_id_all: pid, tid, time, cpu, reserved. */
	SAMPLE_ID_BYTES = 24,
	SAMPLE_ID_TIME = 8,
	LEVEL_BYTES = 16,
};

static int records_open_event(uint32_t cpu, uint32_t bytes)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.context_switch = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
		.wakeup_watermark = bytes / 2};
	int fd = perf_calls.open(&attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* In another PID namespace than the first one the kernel gives number 0 to all threads outside of
 * it, as to idle ones. */
static bool records_have_numbers(void)
{
	static const char first[] = "pid:[4026531836]";
	char link[sizeof first + 16];
	const ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link - 1);

	link[n > 0 ? n : 0] = 0;
	return n < 0 || strcmp(link, first) == 0;
}

/* Linux 4.17 and later record whether the thread that left was still runnable. */
static bool records_tell_preemption(void)
{
	struct utsname u;
	uint64_t major;

	if (uname(&u) != 0)
		return true;
	const char *at = u.release;
	if (!number_scan(&at, at + strlen(at), 10, UINT32_MAX, &major))
		return false;
	return major > 4 || (major == 4 && *at == '.' && number_at(at + 1, UINT32_MAX) >= 17);
}

static int records_open(struct kernel_records *r, uint32_t cpu, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;
	int fd;

	if (bytes < page)
		bytes = page;

	*r = (struct kernel_records){.fd = -1, .waking_fd = -1, .cpu = cpu};
	if (!records_have_numbers())
		return -EXDEV;
	fd = records_tell_preemption() ? records_open_event(cpu, (uint32_t)bytes) : -EINVAL;
	if (fd < 0)
		return fd;
	/* Writable: the kernel then respects data_tail, and never overwrites unread records. */
	p = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		int error = errno;

		perf_calls.close(fd);
		/* mmap fails with EPERM at the limit of locked memory; a sandbox forbids other
		 * calls. */
		return error == EPERM ? -ENOBUFS : -error;
	}
	*r = (struct kernel_records){
		.fd = fd, .waking_fd = -1, .cpu = cpu, .page = p, .bytes = bytes};
	return 0;
}

int kernel_records_open(struct kernel_records *r, uint32_t cpu, bool has_wakings)
{
	int rc = -ENOBUFS;

	if (has_wakings)
		rc = records_open(r, cpu, WAKINGS_BUFFER_BYTES);
	return rc == -ENOBUFS ? records_open(r, cpu, BUFFER_BYTES) : rc;
}

int kernel_records_add_wakings(struct kernel_records *r, const struct waking_format *format)
{
	int fd = waking_open(format, r->cpu, r->fd);

	if (fd < 0)
		return fd;
	r->waking = *format;
	r->waking_fd = fd;
	return 0;
}

void kernel_records_drop_wakings(struct kernel_records *r)
{
	if (r->waking_fd >= 0)
		perf_calls.close(r->waking_fd);
	r->waking_fd = -1;
}

void kernel_records_close(struct kernel_records *r)
{
	kernel_records_drop_wakings(r);
	if (r->page)
		munmap(r->page, (size_t)sysconf(_SC_PAGESIZE) + r->bytes);
	if (r->fd >= 0)
		perf_calls.close(r->fd);
	*r = (struct kernel_records){.fd = -1, .waking_fd = -1};
}

static void records_explain_rights(int error, char *text, size_t size)
{
	char level[LEVEL_BYTES];

	file_read_line("/proc/sys/kernel/perf_event_paranoid", level, sizeof level);
	/* The kernel's own refusal is EACCES. */
	if (error == EPERM)
		snprintf(text, size,
			"a sandbox or security module forbids perf_event_open (allow it in the sandbox's seccomp profile)");
	else
		snprintf(text, size,
			"kernel.perf_event_paranoid is %s and CAP_PERFMON is missing (run as root, or sysctl kernel.perf_event_paranoid=0)",
			*level ? level : "unknown");
}

void kernel_records_explain(int error, char *text, size_t size)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		records_explain_rights(-error, text, size);
		break;
	case -ENOSYS:
		snprintf(text, size,
			"the kernel has no perf_event_open, or a sandbox hides it (allow it in the sandbox's seccomp profile)");
		break;
	case -EINVAL:
		snprintf(text, size, "this kernel does not record switches (Linux 4.17 or later)");
		break;
	case -EXDEV:
		snprintf(text, size,
			"a container's PID namespace hides the other threads' numbers (record them outside of it)");
		break;
	case -ENOBUFS:
		snprintf(text, size,
			"its buffers need more locked memory than this user has left (raise sysctl kernel.perf_event_mlock_kb or ulimit -l)");
		break;
	case -ENODEV:
	case -ENOENT:
	case -EOPNOTSUPP:
		snprintf(text, size,
			"this kernel has no perf events for it (record on another one)");
		break;
	case -EMFILE:
	case -ENFILE:
		snprintf(text, size, "out of file descriptors (ulimit -n)");
		break;
	default:
		snprintf(text, size, "%s", strerror(-error));
	}
}

/* ------------------------------------------------------------------------- reading */

/* Copies a record's first bytes, which may wrap around the buffer's end. */
static void records_copy(const struct kernel_records *r, uint64_t from, void *bytes, size_t size)
{
	const uint8_t *data = (const uint8_t *)r->page + sysconf(_SC_PAGESIZE);
	const size_t at = from & (r->bytes - 1),
		     first = r->bytes - at < size ? r->bytes - at : size;

	memcpy(bytes, data + at, first);
	memcpy((uint8_t *)bytes + first, data, size - first);
}

static uint64_t records_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* Each switch has a record of the previous thread and one of the next, but some kernels omit the
 * first if the previous is the idle thread. */
static void records_parse_switch(const struct perf_event_header *h, const uint8_t *body,
	const uint8_t *id, struct kernel_record *record)
{
	const bool leaves = h->misc & PERF_RECORD_MISC_SWITCH_OUT;
	const uint8_t *from = leaves ? id : body, *to = leaves ? body : id;

	record->kind = leaves ? KERNEL_RECORD_SWITCH : KERNEL_RECORD_ARRIVAL;
	/* A thread that was reaped before its last switch has -1: KERNEL_TID_UNKNOWN. */
	record->pid = waking_u32(from);
	record->tid = waking_u32(from + 4);
	record->other_pid = waking_u32(to);
	record->other_tid = waking_u32(to + 4);
	record->preempted = record->tid && h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
}

static bool records_parse_waking(const struct kernel_records *r, const uint8_t *bytes, size_t size,
	struct kernel_record *record)
{
	struct waking w;

	if (r->waking_fd < 0 || !waking_parse(&r->waking, bytes, size, &w))
		return false;
	*record = (struct kernel_record){.kind = KERNEL_RECORD_WAKING,
		.at = w.at,
		.pid = w.pid,
		.tid = w.tid,
		.other_tid = w.woken,
		.how = w.how};
	return true;
}

/* size: of the record, its header included. False: not a record that is wanted. */
static bool records_parse(const struct kernel_records *r, const uint8_t *bytes, size_t size,
	struct kernel_record *record)
{
	const struct perf_event_header *h = (const void *)bytes;
	const uint8_t *body = bytes + sizeof *h;
	const uint8_t *id = bytes + size - SAMPLE_ID_BYTES;

	if (h->type == PERF_RECORD_SAMPLE)
		return records_parse_waking(r, bytes, size, record);
	if (size < sizeof *h + 8 + SAMPLE_ID_BYTES)
		return false;
	*record = (struct kernel_record){
		.at = records_u64(id + SAMPLE_ID_TIME), .pid = waking_u32(body)};
	switch (h->type) {
	case PERF_RECORD_SWITCH_CPU_WIDE:
		records_parse_switch(h, body, id, record);
		return true;
	case PERF_RECORD_COMM:
		record->kind = KERNEL_RECORD_NAME;
		record->tid = waking_u32(body + 4);
		memcpy(record->name, body + 8,
			size - sizeof *h - 8 - SAMPLE_ID_BYTES < sizeof record->name - 1
				? size - sizeof *h - 8 - SAMPLE_ID_BYTES
				: sizeof record->name - 1);
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (size < sizeof *h + 24 + SAMPLE_ID_BYTES)
			return false;
		record->kind =
			h->type == PERF_RECORD_FORK ? KERNEL_RECORD_FORK : KERNEL_RECORD_EXIT;
		record->other_pid = waking_u32(body + 4);
		record->tid = waking_u32(body + 8);
		record->other_tid = waking_u32(body + 12);
		record->at = records_u64(body + 16);
		return true;
	case PERF_RECORD_LOST:
		if (size < sizeof *h + 16 + SAMPLE_ID_BYTES)
			return false;
		record->kind = KERNEL_RECORD_LOST;
		record->lost = records_u64(body + 8);
		return true;
	default:
		return false;
	}
}

bool kernel_records_read(struct kernel_records *r,
	void (*visit)(void *ctx, const struct kernel_record *record), void *ctx)
{
	/* Read the count before the head: all wake-ups of this count are in the buffer by then. */
	const uint64_t occurred = r->waking_fd < 0 ? 0 : waking_count(r->waking_fd);
	const uint64_t head = perf_page_head(r->page);
	const bool was_full = head - r->page->data_tail > r->bytes - LONGEST_RECORD;
	uint64_t handed;
	_Alignas(8) uint8_t bytes[LONGEST_RECORD];
	struct perf_event_header h;
	struct kernel_record record;

	for (uint64_t at = r->page->data_tail; at != head; at += h.size) {
		records_copy(r, at, &h, sizeof h);
		if (h.size < sizeof h || h.size > head - at)
			break;
		if (h.size > sizeof bytes)
			continue;
		records_copy(r, at, bytes, h.size);
		r->samples += h.type == PERF_RECORD_SAMPLE;
		if (!records_parse(r, bytes, h.size, &record))
			continue;
		if (record.kind == KERNEL_RECORD_LOST)
			r->lost += record.lost;
		visit(ctx, &record);
	}
	/* The kernel reports records lost to a full buffer later. */
	handed = r->samples + r->lost;
	if (!was_full)
		r->missing = occurred > handed ? occurred - handed : 0;
	perf_page_set_tail(r->page, head);
	return was_full;
}
