/*
 * changed FILE STEP: every STEPth byte of a trace set to a few values, with the checksum
 * of its header or section computed again, through four reports. What a careless or hostile
 * writer could send. Names the byte and value at work when it is ended.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../decoder/model/trace/trace.h"
#include "../../decoder/report/report.h"
#include "../../include/cpidecode.h"
#include "../lib/trace_build.h"

static char at_work[64];

static void on_signal(int number)
{
	(void)!write(STDOUT_FILENO, at_work, strlen(at_work));
	signal(number, SIG_DFL);
	raise(number);
}

/* The header or section [from, to) in which a byte stands; judged by the undamaged file. */
static void part_of(const uint8_t *p, size_t n, size_t byte, size_t *from, size_t *to)
{
	*from = 0;
	*to = TF_HEADER_SIZE;
	while (*to <= byte && *to < n) {
		*from = *to;
		*to = *from + section_step(p + *from);
	}
}

/* As far as the (changed) header says that its payload goes. */
static void seal_changed(uint8_t *p, size_t n, size_t from)
{
	if (!from) {
		seal_header(p);
		return;
	}
	uint64_t stored = get_le32(p + from + TF_S_STORED);
	if (stored > n - from - TF_SECTION_SIZE)
		stored = n - from - TF_SECTION_SIZE;
	seal_section(p + from, p + from + TF_SECTION_SIZE, stored);
}

/* An error is as good as a report. */
static void report(const struct trace *t, enum report_kind kind, enum report_format format)
{
	struct filter filter;
	struct findings found = {0};
	struct out out;

	filter_init(&filter);
	out_memory(&out);
	struct report r = {
		.out = &out, .format = format, .filter = &filter, .threads = 1, .found = &found};
	report_about(&r, t);
	report_run(&r, kind);
	findings_free(&found);
	out_discard(&out);
}

static void read_all(const uint8_t *p, size_t n, enum trace_verify how)
{
	struct trace *t;

	if (trace_new(&t))
		exit(1);
	trace_set_verify(t, how);
	if (!trace_add_memory(t, p, n, "trace")) {
		report(t, REPORT_HOOKS, FORMAT_JSON);
		report(t, REPORT_INTERVALS, FORMAT_JSON);
		report(t, REPORT_SUMMARY, FORMAT_TEXT);
		report(t, REPORT_INFO, FORMAT_TEXT);
	}
	trace_free(t);
}

static unsigned check_changes(const uint8_t *p, size_t n, size_t byte, uint8_t *copy)
{
	static const uint8_t values[] = {0xff, 0x80, 0x01};
	size_t from, to;
	unsigned runs = 0;

	part_of(p, n, byte, &from, &to);
	for (size_t i = 0; i < sizeof values; i++) {
		if (p[byte] == values[i])
			continue;
		memcpy(copy, p, n);
		copy[byte] = values[i];
		seal_changed(copy, n, from);
		snprintf(at_work, sizeof at_work, "ended at byte %zu = 0x%02x\n", byte, values[i]);
		alarm(120);
		read_all(copy, n, VERIFY_ALL);
		read_all(copy, n, VERIFY_LATER);
		runs++;
	}
	return runs;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
	size_t step = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned runs = 0;

	if (!f || !step || fseek(f, 0, SEEK_END))
		return 2;
	size_t n = (size_t)ftell(f);
	uint8_t *p = malloc(n), *copy = malloc(n);
	rewind(f);
	if (n < TF_HEADER_SIZE || !p || !copy || fread(p, 1, n, f) != n)
		return 2;
	fclose(f);
	for (int number = 1; number < 32; number++)
		if (number != SIGKILL && number != SIGSTOP && number != SIGCHLD)
			signal(number, on_signal);
	for (size_t byte = 0; byte < n; byte += step)
		runs += check_changes(p, n, byte, copy);
	free(p);
	free(copy);
	printf("%u traces\n", runs);
	return runs ? 0 : 1;
}
