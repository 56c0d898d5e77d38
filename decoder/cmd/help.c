#include <stdio.h>

#include "options.h"

static const char text[] =
	"Usage: cpidecode [options] FILE...\n"
	"\n"
	"Decodes trace files (swtrace dump) and reports. Several files are merged by time;\n"
	"- is standard input.\n"
	"\n"
	"Report:\n"
	"  --report summary    per label and minor: count, times, CPIs, busy (default)\n"
	"           intervals  every interval\n"
	"           hooks      every hook\n"
	"           cpus       per label and minor: a column per processor, System first\n"
	"           info       about the files: rings, losses, damage, tasks, schemas\n"
	"  --format text       for people (default)\n"
	"           csv        RFC 4180, with a header line (not for info)\n"
	"           json       one object a line\n"
	"           folded     stacks of nested intervals and their values\n"
	"           svg        the same as an interactive flame graph, coloured by CPI\n"
	"  --weight cycles|ns|instructions|thread_cycles\n"
	"                      what folded and svg count (default cycles: elapsed cycles)\n"
	"  -o, --output FILE   write to FILE, put in place when it is whole (- is standard\n"
	"                      output)\n"
	"\n"
	"Filters (all given ones have to hold; not for info):\n"
	"  --label GLOB        label matches: * ? [set] [!set]\n"
	"  --minor N           the program's minor code, 0 to 0xFF; with hooks also a whole\n"
	"                      minor\n"
	"  --cpu LIST          written on these processors: 0-3,8 (guest: guest rings)\n"
	"  --tid N, --pid N    written by this thread, this process\n"
	"  --from T, --to T    at or after, at or before T; of an interval, any part. T is\n"
	"                      seconds since 1970 (1714564800.25), ISO 8601\n"
	"                      (2024-05-01T12:00:00.25Z; +02:00; no zone: local time), or\n"
	"                      +1.5s after the trace's first hook (h, m, s, ms, us, ns)\n"
	"\n"
	"Other:\n"
	"  --schema FILE       describe hooks by this schema too; may be given again\n"
	"  --strict            exit with 3 when data was lost or damaged\n"
	"  -h, --help          this text\n"
	"  --version           the version\n"
	"\n"
	"Losses, torn records and damage are told on standard error.\n"
	"Exit status: 0 fine, 1 failure, 2 misuse, 3 lost or damaged data and --strict.\n"
	"The manual, cpidecode(1), describes every column.\n";

void options_help(void)
{
	fputs(text, stdout);
}
