/*
 * Tour of libcpidecode: prints the intervals of trace files, hooks from a given time on, or a
 * report.
 *
 *	print_intervals [-f SECONDS | -r REPORT] TRACE...
 *
 * -f: ten hooks with their fields, from SECONDS after the first hook on.
 * -r: a report in cpidecode's format (summary, intervals, hooks, cpus, info).
 *
 *	cc print_intervals.c $(pkg-config --cflags --libs libcpidecode)
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpidecode.h>

enum { HOOKS = 10 };

static int failed(const char *what, int rc)
{
	fprintf(stderr, "print_intervals: %s: %s\n", what, cpidecode_strerror(rc));
	return 1;
}

static void print_count(uint64_t v)
{
	if (v == CPIDECODE_NOT_MEASURED)
		printf(" n/a");
	else
		printf(" %" PRIu64, v);
}

static void print_ratio(double v)
{
	if (isnan(v))
		printf(" n/a");
	else
		printf(" %.4f", v);
}

/* Replaces control characters: labels may hold any bytes, which could drive a terminal. */
static void print_label(const char *label, size_t n)
{
	if (!label) {
		printf(" -");
		return;
	}
	printf(" \"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)label[i];

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			printf("\\x%02x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static int print_intervals(const cpidecode_trace *t)
{
	cpidecode_interval_stream *s;
	cpidecode_interval iv;
	int rc = cpidecode_interval_stream_open(t, INT64_MIN, INT64_MAX, &s);

	if (rc)
		return failed("intervals", rc);
	while ((rc = cpidecode_interval_stream_next(s, &iv)) > 0) {
		printf("%" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu32 " %" PRIu32, iv.start_ns,
			iv.end_ns, iv.elapsed, iv.depth, iv.tid);
		print_label(iv.label, iv.label_length);
		print_ratio(iv.raw_cpi);
		print_ratio(iv.scaled_cpi);
		print_ratio(iv.thread_cpi);
		print_count(iv.instructions);
		print_count(iv.thread_instructions);
		print_count(iv.off_cpu_ns);
		putchar('\n');
	}
	cpidecode_interval_stream_close(s);
	return rc ? failed("intervals", rc) : 0;
}

static void print_field(const cpidecode_field *f)
{
	printf(" %s=", f->name);
	if (f->not_measured)
		printf("n/a");
	else if (f->type == CPIDECODE_FIELD_STRING)
		print_label(f->string, f->length);
	else if (f->type == CPIDECODE_FIELD_FIX4)
		printf("%" PRIu64 ".%04u", f->u / 10000, (unsigned)(f->u % 10000));
	else if (f->type == CPIDECODE_FIELD_F64)
		printf("%.17g", f->f);
	else if (f->type == CPIDECODE_FIELD_I64)
		printf("%" PRId64, f->i);
	else
		printf("%" PRIu64, f->u);
}

static int print_hooks(const cpidecode_trace *t, double seconds)
{
	cpidecode_file_info info;
	cpidecode_hooks *it;
	const cpidecode_hook *h;
	cpidecode_field field;
	int rc = cpidecode_file(t, 0, &info);

	if (!rc)
		rc = cpidecode_hooks_open(t, &it);
	if (rc)
		return failed("hooks", rc);
	rc = cpidecode_hooks_seek(it, info.first_ns + (int64_t)(seconds * 1e9));
	for (int i = 0; !rc && i < HOOKS && (rc = cpidecode_hooks_next(it, &h)) > 0; i++) {
		printf("%" PRId64 " %02x %08" PRIx32 " %s:", h->time_ns, h->major, h->minor,
			h->name ? h->name : "?");
		while (cpidecode_hooks_field(it, &field, NULL) > 0)
			print_field(&field);
		putchar('\n');
		rc = 0;
	}
	cpidecode_hooks_close(it);
	return rc < 0 ? failed("hooks", rc) : 0;
}

static int to_stdout(void *ctx, const void *bytes, size_t n)
{
	(void)ctx;
	return fwrite(bytes, 1, n, stdout) != n;
}

static int print_report(const cpidecode_trace *t, const char *name)
{
	cpidecode_report_options options = {.size = sizeof options, .report = name};
	int rc = cpidecode_report(t, &options, to_stdout, NULL, NULL);

	return rc ? failed(name, rc) : 0;
}

/* Reports damage in the trace. */
static void tell_damage(const cpidecode_trace *t)
{
	cpidecode_file_info info;
	cpidecode_damage_info damage;

	for (size_t file = 0; !cpidecode_file(t, file, &info); file++) {
		for (size_t i = 0; !cpidecode_damage(t, file, i, &damage); i++)
			fprintf(stderr,
				"print_intervals: %s: at offset %" PRIu64 ", %" PRIu64
				" bytes: %s\n",
				info.path, damage.offset, damage.bytes, damage.why);
		if (info.cut_off)
			fprintf(stderr, "print_intervals: %s: cut off\n", info.path);
	}
}

int main(int argc, char **argv)
{
	const char *report = NULL, *from = NULL;
	cpidecode_open_error error;
	cpidecode_trace *t;
	int option, status;

	while ((option = getopt(argc, argv, "f:r:")) != -1) {
		if (option == 'f')
			from = optarg;
		else if (option == 'r')
			report = optarg;
		else
			optind = argc;
	}
	if (optind >= argc) {
		fprintf(stderr, "usage: print_intervals [-f SECONDS | -r REPORT] TRACE...\n");
		return 2;
	}
	const char *const *paths = (const char *const *)argv + optind;
	int rc = cpidecode_open_with(paths, (size_t)(argc - optind), NULL, &t, &error);
	if (rc) {
		if (error.system_error)
			fprintf(stderr, "print_intervals: %s: %s: %s\n", paths[error.file],
				cpidecode_strerror(rc), strerror(error.system_error));
		else
			failed(paths[error.file], rc);
		return 1;
	}
	tell_damage(t);
	if (report)
		status = print_report(t, report);
	else if (from)
		status = print_hooks(t, strtod(from, NULL));
	else
		status = print_intervals(t);
	cpidecode_close(t);
	return fflush(stdout) || ferror(stdout) ? 1 : status;
}
