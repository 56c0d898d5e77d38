#include "parse.h"

#include <string.h>

#include "../../../../formats/base/number.h"
#include "../../../core/online.h"
#include "../../../counters/machine/proc_stat.h"
#include "../scan.h"

/* ------------------------------------------------------------------------ /proc/stat */

bool processor_parse_stat(
	const char *text, size_t length, struct processor_ticks *cpu, uint32_t room)
{
	const uint64_t most = INT64_MAX / 10000000; /* fits in 64 bits when converted to 100 ns */
	const char *p = text, *end = text + length;
	struct stat_line l;
	bool found = false;

	for (uint32_t i = 0; i < room; i++)
		cpu[i].known = false;
	while (stat_next(&p, end, &l)) {
		if (l.user > most || l.nice > most || l.system > most || l.intr > most)
			continue;
		found = true;
		if (l.cpu < room)
			cpu[l.cpu] = (struct processor_ticks){l.user, l.nice, l.system,
				l.has_intr ? l.irq : NOT_MEASURED,
				l.has_intr ? l.softirq : NOT_MEASURED, true};
	}
	return found;
}

/* -------------------------------------------- tables: a header of CPUs, counts by label */

struct table {
	struct scan rest;
	uint32_t columns;
	uint16_t cpu[ONLINE_MAX]; /* processor of each column */
	struct scan label,
		after; /* of a line: the text before its ':' and the text after its counts */
	uint64_t count[ONLINE_MAX];
};

/* Parses the header: " CPU0 CPU1". */
static bool table_begin(struct table *t, const char *text, size_t length)
{
	struct scan line;

	t->rest = scan_of(text, length);
	t->columns = 0;
	if (!scan_line(&t->rest, &line))
		return false;
	for (;;) {
		uint64_t number;

		scan_blanks(&line);
		if (line.at == line.end)
			return t->columns > 0;
		if (!scan_skip(&line, "CPU") || !scan_number(&line, &number) ||
			t->columns == ONLINE_MAX || number >= UINT16_MAX)
			return false;
		t->cpu[t->columns++] = (uint16_t)number;
	}
}

/* The next line with a count for each processor. */
static bool table_next(struct table *t)
{
	struct scan line;

	while (scan_line(&t->rest, &line)) {
		uint32_t n = 0;

		scan_blanks(&line);
		t->label.at = line.at;
		while (line.at < line.end && *line.at != ':' && *line.at != ' ')
			line.at++;
		t->label.end = line.at;
		if (!scan_skip(&line, ":"))
			continue;
		for (; n < t->columns; n++) {
			scan_blanks(&line);
			if (!scan_number(&line, &t->count[n]))
				break;
		}
		t->after = line;
		if (n == t->columns)
			return true;
	}
	return false;
}

static bool label_is(const struct table *t, const char *name)
{
	struct scan label = t->label;

	return scan_skip(&label, name) && label.at == label.end;
}

static void processor_add_count(uint64_t *sum, uint64_t count)
{
	*sum = (uint32_t)((*sum == NOT_MEASURED ? 0 : *sum) + count);
}

/*
 * Skips lines that do not count interrupts of a processor: TLB shootdowns are function calls, which
 * have their own line; APIC retries and polls deliver none; errors are machine-wide, in one column.
 */
static bool is_no_interrupt(const struct table *t)
{
	static const char *const names[] = {"TLB", "RTR", "MCP", "ERR", "MIS", "Err"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (label_is(t, names[i]))
			return true;
	return false;
}

bool processor_parse_interrupts(
	const char *text, size_t length, struct processor_interrupts *cpu, uint32_t room)
{
	bool found = false;
	struct table t;

	for (uint32_t i = 0; i < room; i++)
		cpu[i] = (struct processor_interrupts){NOT_MEASURED, NOT_MEASURED};
	if (!table_begin(&t, text, length))
		return false;
	while (table_next(&t)) {
		bool clock = label_is(&t, "LOC") || scan_ends_in(t.after, "arch_timer");

		if (is_no_interrupt(&t))
			continue;
		found = true;
		for (uint32_t i = 0; i < t.columns; i++) {
			if (t.cpu[i] >= room)
				continue;
			processor_add_count(&cpu[t.cpu[i]].all, t.count[i]);
			if (clock)
				processor_add_count(&cpu[t.cpu[i]].clock, t.count[i]);
		}
	}
	return found;
}

bool processor_parse_softirqs(const char *text, size_t length, uint64_t *cpu, uint32_t room)
{
	bool found = false;
	struct table t;

	for (uint32_t i = 0; i < room; i++)
		cpu[i] = NOT_MEASURED;
	if (!table_begin(&t, text, length))
		return false;
	while (table_next(&t)) {
		found = true;
		for (uint32_t i = 0; i < t.columns; i++)
			if (t.cpu[i] < room)
				processor_add_count(&cpu[t.cpu[i]], t.count[i]);
	}
	return found;
}

/* --------------------------------------------------------------------- /proc/cpuinfo */

/* Skips the name in "name\t\t: value". */
static bool processor_skip_field(struct scan *line, const char *name)
{
	if (!scan_skip(line, name))
		return false;
	scan_blanks(line);
	if (!scan_skip(line, ":"))
		return false;
	scan_blanks(line);
	return true;
}

static bool parse_mhz(struct scan t, uint64_t *mhz)
{
	uint64_t whole;

	if (!scan_number(&t, &whole) || whole == 0 || whole > 1000000)
		return false;
	if (t.end - t.at >= 2 && t.at[0] == '.' && number_digit(t.at[1], 10) >= 5)
		whole++;
	*mhz = whole;
	return true;
}

bool processor_parse_cpuinfo(const char *text, size_t length, uint64_t *mhz, uint32_t room)
{
	struct scan t = scan_of(text, length), line;
	uint64_t cpu = NOT_MEASURED;
	bool found = false;

	for (uint32_t i = 0; i < room; i++)
		mhz[i] = NOT_MEASURED;
	while (scan_line(&t, &line)) {
		if (processor_skip_field(&line, "processor")) {
			if (!scan_number(&line, &cpu))
				cpu = NOT_MEASURED;
		} else if (cpu < room && processor_skip_field(&line, "cpu MHz")) {
			found |= parse_mhz(line, &mhz[cpu]);
		}
	}
	return found;
}

bool processor_parse_feedback(
	const char *text, size_t length, uint64_t *reference, uint64_t *delivered)
{
	struct scan t = scan_of(text, length), line;

	return scan_line(&t, &line) && scan_skip(&line, "ref:") && scan_number(&line, reference) &&
	       scan_skip(&line, " del:") && scan_number(&line, delivered) && line.at == line.end;
}

/* ----------------------------------------------------------------------- idle states */

unsigned processor_idle_class(const char *name, size_t length)
{
	static const char *const halts[] = {"haltpoll", "WFI", "HLT"};
	struct scan t = scan_of(name, length);
	uint64_t depth;

	for (size_t i = 0; i < sizeof halts / sizeof *halts; i++)
		if (scan_skip(&t, halts[i]))
			return 1;
	if (!scan_skip(&t, "C") || !scan_number(&t, &depth) || depth == 0)
		return 0;
	return depth < 3 ? (unsigned)depth : 3;
}
