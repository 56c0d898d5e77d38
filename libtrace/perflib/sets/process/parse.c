#include <string.h>

#include "process.h"

/* "PID (NAME) S ppid ...": the name may contain any bytes, even parentheses and newlines. */
static bool skip_name(struct scan *t, struct process_stat *stat)
{
	const char *open = memchr(t->at, '(', (size_t)(t->end - t->at)), *close = t->end;

	if (!open)
		return false;
	while (close > open && *close != ')')
		close--;
	if (close == open)
		return false;
	stat->name = open + 1;
	stat->name_bytes = (size_t)(close - open - 1);
	t->at = close + 1;
	return true;
}

bool process_parse_stat(const char *text, size_t length, struct process_stat *stat)
{
	enum { FIRST = 4, LAST = 24 }; /* numbered as in proc(5); field 3 is a letter */
	struct scan t = scan_of(text, length);
	uint64_t field[LAST + 1], pid;

	if (length == 0 || !scan_number(&t, &pid) || t.at == t.end)
		return false;
	t.end--; /* the newline ends the last number */
	if (*t.end != '\n' || !skip_name(&t, stat) || !scan_skip(&t, " ") || t.at == t.end)
		return false;
	t.at++;
	for (int i = FIRST; i <= LAST; i++) {
		bool negative;

		if (!scan_skip(&t, " "))
			return false;
		negative = scan_skip(&t, "-");
		if (!scan_number(&t, &field[i]))
			return false;
		if (negative)
			field[i] = 0;
	}
	if (t.at < t.end && *t.at != ' ')
		return false;
	stat->minor_faults = field[10];
	stat->major_faults = field[12];
	stat->user = field[14];
	stat->system = field[15];
	stat->threads = field[20];
	stat->start = field[22];
	stat->virtual_bytes = field[23];
	stat->pages = field[24];
	return true;
}

bool process_parse_switches(
	const char *text, size_t length, uint64_t *voluntary, uint64_t *involuntary)
{
	struct scan t = scan_of(text, length), line;
	bool has_voluntary = false, has_involuntary = false;

	while (scan_line(&t, &line)) {
		if (scan_skip(&line, "voluntary_ctxt_switches:")) {
			scan_blanks(&line);
			has_voluntary = scan_number(&line, voluntary);
		} else if (scan_skip(&line, "nonvoluntary_ctxt_switches:")) {
			scan_blanks(&line);
			has_involuntary = scan_number(&line, involuntary);
		}
	}
	return has_voluntary && has_involuntary;
}
