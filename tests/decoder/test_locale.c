/*
 * Reports in a program whose locale writes a comma for the point: the same bytes. Few machines
 * have such a locale, so it is made here; 77, skipped, where that does not work.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../decoder/sink/out.h"
#include "../../include/cpidecode.h"
#include "../lib/trace_build.h"

enum { SKIPPED = 77 };

static const char source[] = "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"\"\n"
			     "grouping -1\nEND LC_NUMERIC\n";

/* Makes the locale in a new folder and takes it. */
static bool take_comma(void)
{
	char folder[] = "/tmp/cpidecode-test.XXXXXX", command[256];

	if (!mkdtemp(folder))
		return false;
	snprintf(command, sizeof command,
		"cd %s && cat >source && localedef -c -i source -f UTF-8 ./comma >log 2>&1",
		folder);
	FILE *to = popen(command, "w");
	if (to) {
		fputs(source, to);
		pclose(to); /* it reports cells that are not numbers */
	}
	setenv("LOCPATH", folder, 1);
	bool taken =
		setlocale(LC_NUMERIC, "comma") && strcmp(localeconv()->decimal_point, ",") == 0;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) == 0 && taken;
}

static int collect(void *ctx, const void *bytes, size_t n)
{
	bytes_put(ctx, bytes, n);
	return 0;
}

/* Every report and format, and numbers that printf writes for us. */
static void write_all(const cpidecode_trace *t, struct bytes *b)
{
	static const char *const names[][2] = {{"summary", "text"}, {"summary", "csv"},
		{"summary", "json"}, {"intervals", "text"}, {"intervals", "csv"},
		{"intervals", "json"}, {"hooks", "text"}, {"hooks", "csv"}, {"hooks", "json"},
		{"cpus", "text"}, {"cpus", "csv"}, {"cpus", "json"}, {"info", "text"},
		{"info", "json"}, {"diff", "text"}, {"diff", "csv"}, {"diff", "json"},
		{"why", "text"}, {"why", "csv"}, {"why", "json"}, {NULL, "svg"}, {NULL, "folded"}};
	struct out o;

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		const cpidecode_report_options options = {.size = sizeof options,
			.report = names[i][0],
			.format = names[i][1],
			.before = t};
		int rc = cpidecode_report(t, &options, collect, b, NULL);

		if (rc) {
			fprintf(stderr, "%s, %s: %s\n", names[i][0] ? names[i][0] : "", names[i][1],
				cpidecode_strerror(rc));
			exit(1);
		}
	}
	out_memory(&o);
	out_fixed(&o, -0.125, 2);
	out_fixed(&o, 1e15 + 0.5, 1);
	out_fixed(&o, -0.0004999, 3);
	out_double(&o, 0.1);
	out_double(&o, 1.5e300);
	out_general(&o, 1.25, 9);
	bytes_put(b, o.buf, o.len);
	out_discard(&o);
}

static const char numbers[] = "-0.121000000000000000.50.0000.11.5e+3001.25";

int main(void)
{
	struct bytes trace = {0}, plain = {0}, comma = {0};
	cpidecode_trace *t;
	size_t n = sizeof numbers - 1;

	put_small_trace(&trace, TF_CODEC_NONE);
	if (cpidecode_open_memory(trace.p, trace.n, &t))
		return 1;
	write_all(t, &plain);
	bool right = plain.n > n && memcmp(plain.p + plain.n - n, numbers, n) == 0;
	if (!right)
		fprintf(stderr, "the numbers are %.*s\n", (int)n, plain.p + plain.n - n);
	bool taken = take_comma();
	if (taken)
		write_all(t, &comma);
	bool same = !taken || (comma.n == plain.n && memcmp(comma.p, plain.p, plain.n) == 0);
	if (!same)
		fprintf(stderr, "another locale, another report\n");
	cpidecode_close(t);
	bytes_free(&trace);
	bytes_free(&plain);
	bytes_free(&comma);
	if (!right || !same)
		return 1;
	if (!taken)
		fprintf(stderr, "skipped: localedef makes no locale here\n");
	return taken ? 0 : SKIPPED;
}
