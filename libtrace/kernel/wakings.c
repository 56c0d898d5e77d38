#include "wakings.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../../formats/base/number.h"
#include "../../formats/kernel_hooks.h"
#include "../core/file.h"
#include "../counters/perf/group.h"

enum {
	FORMAT_BYTES = 4096,
	/* An event's sample has, in this order: thread, time, processor, raw data. */
	WAKING_SAMPLE = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
	SAMPLE_PID = 8,
	SAMPLE_TID = 12,
	SAMPLE_TIME = 16,
	SAMPLE_RAW_SIZE = 32,
	SAMPLE_RAW = 36,
	/* The kernel's TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ. */
	FLAG_HARD_IRQ = 0x08,
	FLAG_SOFT_IRQ = 0x10,
};

/* -------------------------------------------------------------------------- format */

/* Reads the number after `key` in a line such as
 * "field:pid_t pid;	offset:24;	size:4;	signed:1;". */
static bool waking_read_number(const char *line, const char *end, const char *key, uint32_t *number)
{
	const char *at = memmem(line, (size_t)(end - line), key, strlen(key));
	uint64_t value;

	if (!at)
		return false;
	at += strlen(key);
	if (!number_scan(&at, end, 10, UINT16_MAX, &value) || at == end || *at != ';')
		return false;
	*number = (uint32_t)value;
	return true;
}

/* Finds a field by its declaration, with that size. */
static bool waking_find_field(
	const char *text, const char *declaration, uint32_t bytes, uint32_t *offset)
{
	const char *line = strstr(text, declaration), *end;
	uint32_t size;

	if (!line)
		return false;
	end = line + strcspn(line, "\n");
	return waking_read_number(line, end, "offset:", offset) &&
	       waking_read_number(line, end, "size:", &size) && size == bytes;
}

bool waking_parse_format(const char *text, struct waking_format *f)
{
	const char *id = strstr(text, "\nID: ");

	*f = (struct waking_format){0};
	if (!id)
		return false;
	id += strlen("\nID: ");
	return number_scan(&id, id + strlen(id), 10, UINT64_MAX, &f->id) && *id == '\n' &&
	       waking_find_field(text, "field:unsigned char common_flags;", 1, &f->flags_at) &&
	       waking_find_field(text, "field:pid_t pid;", 4, &f->tid_at);
}

int waking_read_format(struct waking_format *f)
{
	static const char *const folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[128], text[FORMAT_BYTES];
	int rc = -ENOENT;

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s/events/sched/sched_waking/format", folders[i]);
		const ssize_t n = file_read_once(path, text, sizeof text - 1);

		if (n >= 0) {
			text[n] = 0;
			return waking_parse_format(text, f) ? 0 : -EPROTO;
		}
		/* Report the error of the first folder that exists. */
		if (rc == -ENOENT)
			rc = -errno;
	}
	return rc;
}

/* --------------------------------------------------------------------------- event */

static int waking_open_event(const struct waking_format *f, uint32_t cpu)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof attr,
		.config = f->id,
		.sample_period = 1,
		.sample_type = WAKING_SAMPLE,
		/* Until it has a buffer: each that it counts is to be there. */
		.disabled = 1,
		/* Records of losses, too, are those of the event whose buffer it is. */
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		/* Not at each record: at the buffer's own watermark. */
		.watermark = 1,
		.wakeup_watermark = INT_MAX};
	const int fd = perf_calls.open(&attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int waking_open(const struct waking_format *f, uint32_t cpu, int output)
{
	const int fd = waking_open_event(f, cpu);
	int error;

	if (fd < 0)
		return fd;
	if (perf_calls.ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (void *)(intptr_t)output) == 0 &&
		perf_calls.ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL) == 0)
		return fd;
	error = errno;
	perf_calls.close(fd);
	return -error;
}

int waking_try(const struct waking_format *f, uint32_t cpu)
{
	const int fd = waking_open_event(f, cpu);

	if (fd < 0)
		return fd;
	perf_calls.close(fd);
	return 0;
}

uint64_t waking_count(int fd)
{
	uint64_t count;

	return perf_calls.read(fd, &count, sizeof count) == sizeof count ? count : 0;
}

bool waking_parse(
	const struct waking_format *f, const uint8_t *bytes, size_t size, struct waking *waking)
{
	const uint8_t *raw = bytes + SAMPLE_RAW;
	uint32_t raw_size;

	if (size < SAMPLE_RAW)
		return false;
	raw_size = waking_u32(bytes + SAMPLE_RAW_SIZE);
	if (raw_size > size - SAMPLE_RAW || f->flags_at >= raw_size || raw_size < 4 ||
		f->tid_at > raw_size - 4)
		return false;
	*waking = (struct waking){.pid = waking_u32(bytes + SAMPLE_PID),
		.tid = waking_u32(bytes + SAMPLE_TID),
		.woken = waking_u32(raw + f->tid_at),
		.how = (raw[f->flags_at] & FLAG_HARD_IRQ ? KERNEL_WAKEUP_HARD_IRQ : 0) |
		       (raw[f->flags_at] & FLAG_SOFT_IRQ ? KERNEL_WAKEUP_SOFT_IRQ : 0)};
	memcpy(&waking->at, bytes + SAMPLE_TIME, sizeof waking->at);
	return waking->woken && waking->woken <= INT32_MAX;
}

void waking_explain(int error, char *text, size_t size)
{
	switch (error) {
	case -ENOENT:
		snprintf(text, size,
			"tracefs is not mounted, or lacks sched_waking (mount -t tracefs nodev /sys/kernel/tracing)");
		break;
	case -EACCES:
	case -EPERM:
		snprintf(text, size,
			"this user, a sandbox or kernel lockdown may not use the kernel's tracepoints (run as root)");
		break;
	case -EPROTO:
		snprintf(text, size, "this kernel's format of sched_waking is not known");
		break;
	default:
		snprintf(text, size, "the tracepoint sched_waking cannot be opened: %s",
			strerror(-error));
	}
}
