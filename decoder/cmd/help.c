/* The table of cpidecode's options: parses them, prints --help and feeds completion. */
#include "options.h"

static const struct option_choice report_choices[] = {
#define REPORT_CHOICE(kind, name, function, takes, help) {name, help},
	REPORTS(REPORT_CHOICE){0}
#undef REPORT_CHOICE
};

static const struct option_choice format_choices[] = {
#define FORMAT_CHOICE(kind, name, function, binary, help) {name, help},
	FORMATS(FORMAT_CHOICE){0}
#undef FORMAT_CHOICE
};

/* Marked: of a report, which a partial result carries. */
const struct option cpidecode_options[] = {
	{.help = "Usage: cpidecode [options] FILE...\n"
		 "       cpidecode merge [options] PARTIAL...\n"
		 "       cpidecode serve [options] FILE...\n"
		 "\n"
		 "Decodes trace files (swtrace dump) and reports. Several files are merged by time;\n"
		 "- is standard input.\n"
		 "\n"
		 "Report:\n"},
	{OPT_REPORT, "--report", .value = "summary", .choices = report_choices, .is_marked = true},
	{OPT_FORMAT, "--format", .value = "text", .choices = format_choices, .is_marked = true},
	{OPT_CSV_SAFE, "--csv-safe", .is_marked = true,
		.help = "with csv: an apostrophe before strings that a spreadsheet would compute"},
	{OPT_FAIL_IF, "--fail-if", .value = "'EXPR'",
		.help = "with diff: exit with 5 if so: [LABEL:]METRIC(>|<)(+|-)NUMBER and %\n"
			"                      or a unit, like 'p90>+5%', 'db *:cpi>+0.1' or\n"
			"                      'page-faults>+1%' (an event); may be given again"},
	{OPT_METRIC, "--metric", .value = "NAME=EXPR", .is_marked = true,
		.help = "with summary, intervals, diff, why, html: a column of events and the\n"
			"                      intervals' own, like 'miss=LLC-misses/instructions'; + - * / ( )\n"
			"                      and {EVENT}; may be given again"},
	{OPT_TOP, "-n", .longer = "--top", .value = "N", .is_marked = true,
		.help = "intervals: N, by --sort or the longest (slowest: 10); groups: N, by\n"
			"                      --sort or with the greatest total; hooks --by: kinds, diff: changes"},
	{OPT_SORT, "--sort", .value = "COLUMN|-COLUMN", .is_marked = true,
		.help = "intervals (also slowest) and groups: by a column, with - falling; n/a last"},
	{OPT_COLUMNS, "--columns", .value = "LIST", .is_marked = true,
		.help = "of tables, csv, json and parquet: these columns, with commas between"},
	{OPT_PARTITION, "--partition", .value = "LIST",
		.help = "with parquet: -o is a folder, each trace a file in folders of these\n"
			"                      keys: host, date, KEY=VALUE; with commas between"},
	{OPT_COMPRESS, "--compress", .value = "lz4|zstd",
		.help = "with parquet: its pages (default lz4; zstd is smaller and needs\n"
			"                      libzstd.so.1)"},
	{OPT_TIME, "--time", .value = "relative|unix|iso", .is_marked = true,
		.help = "with intervals, hooks, slowest and --by time as text: +1.5 s after\n"
			"                      the trace's first hook (default), seconds since 1970, or ISO 8601;\n"
			"                      heatmap: columns of unix and iso begin at multiples of their width"},
	{OPT_WIDTH, "--width", .value = "N", .is_marked = true,
		.help = "with text: N columns wide (default: the terminal's, else no limit; 0:\n"
			"                      no limit)"},
	{OPT_BY, "--by", .value = "LIST", .is_marked = true,
		.help = "with summary, histogram, diff: groups by these, not label and\n"
			"                      minor: label, minor, tid, pid, task, cpu, start_cpu, container,\n"
			"                      host, parent, root, stack, arg.NAME, time:100ms (buckets by the\n"
			"                      start); with hooks: major,minor or major, counts in place of hooks;\n"
			"                      with gaps: label,tid; with gaps, cpus, why, slowest, heatmap: host, a\n"
			"                      report of each host; with intervals, hooks, folded, svg: host, a column\n"
			"                      or a frame"},
	{OPT_HAVING, "--having", .value = "'EXPR'", .is_marked = true,
		.help = "groups for which it holds, like 'count>100 and p99_ns>1ms':\n"
			"                      columns, in the language of --where"},
	{OPT_PERCENTILES, "--percentiles", .value = "LIST", .is_marked = true,
		.help = "with summary: these instead of 50,90,99; with diff and its gates\n"
			"                      in addition; up to four decimals"},
	{OPT_EXACT, "--exact", .is_marked = true,
		.help = "with summary: percentiles of all values, by a temporary file; else of\n"
			"                      more than 256 they are within 0.4 %"},
	{OPT_BEFORE, .name = "--before", .value = "RUN..."},
	{OPT_AFTER, "--after", .value = "RUN...",
		.help = "\n                      with diff: several runs a side: files, folders, patterns"},
	{OPT_SINGLE, "--single-run", .help = "with --fail-if: of one run each, too"},
	{OPT_AA, "--aa",
		.help = "with diff: what runs of one program differ by, and the least\n"
			"                      change that as many could show"},
	{OPT_TAIL, "--tail", .value = "p99", .is_marked = true,
		.help = "with why: the slowest from there on (p56 to p99.9)"},
	{OPT_COMPENSATE, "--compensate",
		.help = "take the library's own cost, which the trace has, off times\n"
			"                      (not for hooks, cpus, info, gaps, speedscope, html)"},
	{OPT_TILES, "--tiles",
		.help = "with html: the intervals in a file next to the page (trace.tiles), which\n"
			"                      the page opens; always beyond 10 million"},
	{OPT_TILES_DIR, "--tiles-dir",
		.help = "... in a folder (trace-tiles), which the page loads unasked"},
	{OPT_WEIGHT, "--weight", .value = "cycles|ns|instructions|thread_cycles|EVENT",
		.is_marked = true,
		.help = "\n                      what folded and svg count (default cycles: elapsed cycles);\n"
			"                      EVENT: one that the intervals counted, or a --metric"},
	{OPT_OUTPUT, "-o", .longer = "--output", .value = "FILE",
		.help = "write to FILE, renamed into place when complete (- is standard\n"
			"                      output)"},
	{.help = "\nFilters (all given ones must hold; not for info):\n"},
	{OPT_LABEL, "--label", .value = "GLOB", .help = "label matches: * ? [set] [!set]"},
	{OPT_MAJOR, "--major", .value = "N", .help = "with hooks: the hook's major, 0 to 0xFF"},
	{OPT_MINOR, "--minor", .value = "N",
		.help = "the program's minor code, 0 to 0xFF; with hooks also a whole\n"
			"                      minor"},
	{OPT_CPU, "--cpu", .value = "LIST",
		.help = "written on these processors: 0-3,8 (guest: guest rings)"},
	{OPT_TID, .name = "--tid", .value = "N"},
	{OPT_PID, "--pid", .value = "N", .help = "written by this thread, this process"},
	{OPT_FROM, .name = "--from", .value = "T"},
	{OPT_TO, "--to", .value = "T",
		.help = "at or after, at or before T; of an interval, any part. T is\n"
			"                      seconds since 1970 (1714564800.25), ISO 8601\n"
			"                      (2024-05-01T12:00:00.25Z; +02:00; no zone: local time), or\n"
			"                      +1.5s after the trace's first hook (h, m, s, ms, us, ns)"},
	{OPT_WHERE, "--where", .value = "'EXPR'",
		.help = "intervals for which it holds (with hooks: hooks): columns, = != <\n"
			"                      <= > >=, in (...), and, or, not, like 'elapsed>10ms and\n"
			"                      label=req*' or 'arg.size>1000'; parent.COLUMN, root.COLUMN;\n"
			"                      under(EXPR): it or one around it; contains(EXPR): one in it"},
	{.help = "\nSharing the work:\n"},
	{OPT_SLICE, "--slice", .value = "I/N",
		.help = "only what ended in the I-th of N slices of the trace's time"},
	{OPT_PARTIAL, "--partial", .value = "FILE",
		.help = "no report: what summary, cpus and histogram are made of, for\n"
			"                      merge; with --report NAME (also heatmap, slowest, gaps, why, diff), or\n"
			"                      --format folded or svg, for that one, with its options"},
	{.help = "  merge PARTIAL...    the report (or --partial) of all of them, the same as of the\n"
		 "                      whole, byte by byte\n"},
	{OPT_EXPECT, "--expect", .value = "LIST",
		.help = "merge: fail unless all traces that the file LIST names, one a\n"
			"                      line, are there"},
	{OPT_ALLOW_MISSING, "--allow-missing",
		.help = "merge: go on without traces that --expect names, and without\n"
			"                      files that are damaged; the report says which"},
	{.help = "\nLooking at it:\n"
		 "  serve FILE...       the page of --format html for a browser on this machine: prints\n"
		 "                      its address, and runs until it is interrupted\n"},
	{OPT_PORT, "--port", .value = "N",
		.help = "with serve: on this port of 127.0.0.1 (default: any free one)"},
	{.help = "\nOther:\n"},
	{OPT_JOBS, "-j", .longer = "--jobs", .value = "N",
		.help = "decode with N threads (default 0: one for each processor)"},
	{OPT_MEMORY, "--memory", .value = "LIMIT",
		.help = "stop when it takes more memory than LIMIT, like 512M (default: no\n"
			"                      limit)"},
	{OPT_SCHEMA, "--schema", .value = "FILE",
		.help = "describe hooks by this schema too; may be given again"},
	{OPT_STRICT, "--strict", .help = "exit with 3 when data was lost or damaged"},
	{OPTIONS_HELP, "-h", .longer = "--help", .help = "this text"},
	{OPT_VERSION, "-V", .longer = "--version", .help = "the version"},
	{.help = "\nLosses, torn records and damage are reported on standard error.\n"
		 "Exit codes: 0 fine, 1 failure, 2 misuse, 3 lost or damaged data and --strict,\n"
		 "5 a --fail-if came true.\n"
		 "The manual, cpidecode(1), describes every column.\n"},
	{0}};
