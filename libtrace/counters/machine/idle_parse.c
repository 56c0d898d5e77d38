#include <string.h>

#include "../../../formats/base/number.h"
#include "../../../formats/base/time_ns.h"
#include "idle.h"
#include "proc_stat.h"

static void idle_skip_spaces(const char **p, const char *end)
{
	while (*p < end && **p == ' ')
		(*p)++;
}

static bool idle_skip_word(const char **p, const char *end, const char *text)
{
	const char *at = *p;

	/* Most words differ in their first bytes: calls of strlen and memcmp would cost more. */
	for (; *text; text++)
		if (at == end || *at++ != *text)
			return false;
	*p = at;
	return true;
}

static void idle_clear_cpus(struct idle_cpu *cpu, uint32_t room)
{
	for (uint32_t i = 0; i < room; i++)
		cpu[i] = (struct idle_cpu){.ns = IDLE_UNKNOWN};
}

bool idle_parse_stat(
	const char *text, size_t length, uint64_t user_hz, struct idle_cpu *cpu, uint32_t room)
{
	const char *p = text, *end = text + length;
	struct stat_line line;
	bool found = false;
	uint64_t quantum;

	idle_clear_cpus(cpu, room);
	if (user_hz == 0 || user_hz > TIME_SECOND_NS)
		return false;
	quantum = TIME_SECOND_NS / user_hz;
	while (stat_next(&p, end, &line)) {
		if (line.idle > INT64_MAX / quantum)
			continue;
		found = true;
		/* The kernel rounds down when printing: adding half a quantum is right on
		 * average. */
		if (line.cpu < room)
			cpu[line.cpu] = (struct idle_cpu){
				.ns = line.idle * quantum + quantum / 2, .slack = quantum / 2};
	}
	return found;
}

enum { NO_CPU = UINT32_MAX };

enum {
	SEEN_NOHZ = 1,
	SEEN_STOPPED = 2,
	SEEN_ENTRY = 4,
	SEEN_IDLE = 8,
	SEEN_IOWAIT = 16,
	SEEN_ALL = 31,
};

void timer_list_begin(struct timer_list *t, struct idle_cpu *cpu, uint32_t room)
{
	memset(t, 0, sizeof *t);
	t->cpu = cpu;
	t->room = room;
	t->running_on = UINT32_MAX;
	t->at = NO_CPU;
	idle_clear_cpus(cpu, room);
}

/*
 * The kernel adds an idle period up when it ends, and each interrupt ends one. The entry
 * time is that of the last change, into or out of idle; which of the two is not printed. A
 * stopped tick says idle; a change longer ago than the tick's period says busy, as a tick
 * within idle would have been another change. The remaining time is split in the middle.
 */
static void finish_cpu(struct timer_list *t)
{
	struct idle_cpu *c;
	uint64_t since;

	if (t->at >= t->room || t->seen != SEEN_ALL || !t->nohz)
		return;
	if (t->idle > INT64_MAX / 2 || t->iowait > INT64_MAX / 2)
		return;
	c = &t->cpu[t->at];
	since = t->now > t->entry ? t->now - t->entry : 0;
	*c = (struct idle_cpu){.ns = t->idle + t->iowait};
	if (t->tick_stopped) {
		c->ns += since;
	} else if (t->at != t->running_on && since <= t->tick_ns + t->tick_ns / 4) {
		c->ns += since / 2;
		c->slack = since / 2;
	}
}

/* "  .idle_sleeptime : 123 nsecs" */
static void idle_parse_field(struct timer_list *t, const char *p, const char *end)
{
	static const struct {
		const char *name;
		uint32_t bit;
		size_t offset;
	} fields[] = {
		{"nohz ", SEEN_NOHZ, offsetof(struct timer_list, nohz)},
		{"nohz_mode ", SEEN_NOHZ, offsetof(struct timer_list, nohz)},
		{"tick_stopped ", SEEN_STOPPED, offsetof(struct timer_list, tick_stopped)},
		{"idle_entrytime ", SEEN_ENTRY, offsetof(struct timer_list, entry)},
		{"idle_sleeptime ", SEEN_IDLE, offsetof(struct timer_list, idle)},
		{"iowait_sleeptime", SEEN_IOWAIT, offsetof(struct timer_list, iowait)},
	};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		uint64_t value;

		if (!idle_skip_word(&p, end, fields[i].name))
			continue;
		idle_skip_spaces(&p, end);
		if (!idle_skip_word(&p, end, ":"))
			return;
		idle_skip_spaces(&p, end);
		if (number_scan(&p, end, 10, UINT64_MAX, &value)) {
			memcpy((char *)t + fields[i].offset, &value, sizeof value);
			t->seen |= fields[i].bit;
		}
		return;
	}
}

static void finish_line(struct timer_list *t)
{
	const char *p = t->line, *end = t->line + t->length;
	uint64_t value;

	if (idle_skip_word(&p, end, "now at ")) {
		if (number_scan(&p, end, 10, UINT64_MAX, &value) && value <= INT64_MAX)
			t->now = value;
	} else if (idle_skip_word(&p, end, "cpu: ")) {
		finish_cpu(t);
		t->seen = 0;
		t->at = number_scan(&p, end, 10, UINT64_MAX, &value) && value < t->room
				? (uint32_t)value
				: NO_CPU;
	} else if (idle_skip_word(&p, end, "Tick Device")) {
		finish_cpu(t);
		t->at = NO_CPU;
		t->done = true;
	} else if (t->at != NO_CPU && idle_skip_word(&p, end, "  .")) {
		idle_parse_field(t, p, end);
		if (t->at == t->room - 1 && t->seen == SEEN_ALL) {
			finish_cpu(t);
			t->done = true;
		}
	}
}

void timer_list_feed(struct timer_list *t, const char *text, size_t length)
{
	const char *p = text, *end = text + length;

	while (p < end && !t->done) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t part = (size_t)((nl ? nl : end) - p);
		size_t fits = sizeof t->line - t->length;

		if (part < fits)
			fits = part;
		memcpy(t->line + t->length, p, fits);
		t->length += (uint32_t)fits;
		p = end;
		if (nl) {
			finish_line(t);
			t->length = 0;
			p = nl + 1;
		}
	}
	t->bytes += (size_t)(p - text);
}

bool timer_list_end(struct timer_list *t)
{
	/* The file ends within a processor: its last numbers may be truncated. */
	if (!t->done)
		t->seen = 0;
	if (t->now == 0) {
		idle_clear_cpus(t->cpu, t->room);
		return false;
	}
	for (uint32_t i = 0; i < t->room; i++)
		if (t->cpu[i].ns != IDLE_UNKNOWN)
			return true;
	return false;
}
