/*
 * compress_bench: compresses real files with zlib and LZ4 at several levels, on several
 * threads, and measures each step as a nested interval:
 *
 *	minor 0x10	a file		label: its base name
 *	minor 0x11	a codec		label: "zlib", "lz4"
 *	minor 0x12	a level		label: "zlib -6", ...
 *
 * Unpacks and compares everything that it compressed. Without tracing it is an ordinary
 * benchmark; swtrace run -- ./compress_bench traces it.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec.h"
#include "corpus.h"
#include "perfutil.h"

enum { MINOR_FILE = 0x10, MINOR_CODEC = 0x11, MINOR_LEVEL = 0x12, THREADS_MAX = 256 };

/* The figures of one level, or the sum over all threads. */
struct score {
	UINT64 raw, packed;	     /* bytes */
	double compress, decompress; /* seconds */
};

struct bench {
	struct corpus corpus;
	unsigned rounds;
	atomic_size_t next; /* next job, which is a file of a round */
	atomic_int failed;  /* a round trip returned other bytes */
};

struct worker {
	struct bench *bench;
	pthread_t thread;
	unsigned number;
	void *file, *codec, *level; /* CPI instances */
	unsigned char *packed, *unpacked;
	size_t packed_size;
	struct score score[CODECS][LEVELS_MAX];
	unsigned lost; /* hook groups lost */
	int loss;      /* why the last one was lost */
	int rc;
};

/* --------------------------------------------------------------- one thread */

static void end_interval(struct worker *w, void *interval, int minor, const char *label)
{
	int rc = CpiGetAndTrace(interval, minor, CPI_TYPE_TRACE_DETAILED, label, NULL);

	if (rc != PU_SUCCESS) {
		w->lost++;
		w->loss = rc;
	}
}

static void run_level(struct worker *w, const struct codec *c, int i, const struct corpus_file *f,
	struct score *s)
{
	UINT64 start, middle, end;

	CpiStart(w->level);
	start = ReadCycles();
	size_t n = c->compress(c->level[i].level, f->bytes, f->size, w->packed, w->packed_size);
	middle = ReadCycles();
	size_t back = n ? c->decompress(w->packed, n, w->unpacked, f->size) : 0;
	end = ReadCycles();
	end_interval(w, w->level, MINOR_LEVEL, c->level[i].label);
	if (back != f->size || memcmp(f->bytes, w->unpacked, f->size) != 0) {
		fprintf(stderr, "compress_bench: %s: %s does not give the file back\n", f->label,
			c->level[i].label);
		atomic_store(&w->bench->failed, 1);
		return;
	}
	s->raw += f->size;
	s->packed += n;
	s->compress += CyclesToSeconds((double)start, (double)middle);
	s->decompress += CyclesToSeconds((double)middle, (double)end);
}

static void run_file(struct worker *w, const struct corpus_file *f)
{
	CpiStart(w->file);
	for (int c = 0; c < CODECS; c++) {
		CpiStart(w->codec);
		for (int i = 0; i < codecs[c].levels; i++)
			run_level(w, &codecs[c], i, f, &w->score[c][i]);
		end_interval(w, w->codec, MINOR_CODEC, codecs[c].name);
	}
	end_interval(w, w->file, MINOR_FILE, f->label);
}

static int make_room(struct worker *w)
{
	size_t largest = 1;

	for (size_t i = 0; i < w->bench->corpus.n; i++) {
		if (w->bench->corpus.files[i].size > largest)
			largest = w->bench->corpus.files[i].size;
	}
	for (int c = 0; c < CODECS; c++) {
		if (codecs[c].bound(largest) > w->packed_size)
			w->packed_size = codecs[c].bound(largest);
	}
	w->packed = malloc(w->packed_size);
	w->unpacked = malloc(largest);
	return w->packed && w->unpacked ? PU_SUCCESS : PU_ERROR_NOT_ENOUGH_MEMORY;
}

static void *work(void *arg)
{
	const UINT32 mode = CPI_TYPE_RAW | CPI_TYPE_SCALED | CPI_TYPE_ONTHREAD;
	struct worker *w = arg;
	struct bench *b = w->bench;
	char name[16];

	/* Name the thread before its first hook: the hook records the name. */
	snprintf(name, sizeof name, "compress-%u", w->number);
	pthread_setname_np(pthread_self(), name);
	if ((w->rc = make_room(w)) != PU_SUCCESS ||
		(w->rc = CpiInit(mode, &w->file)) != PU_SUCCESS ||
		(w->rc = CpiInit(mode, &w->codec)) != PU_SUCCESS ||
		(w->rc = CpiInit(mode, &w->level)) != PU_SUCCESS)
		goto out;
	for (;;) {
		size_t job = atomic_fetch_add(&b->next, 1);

		if (job >= b->corpus.n * b->rounds)
			break;
		run_file(w, &b->corpus.files[job % b->corpus.n]);
	}
out:
	if (w->level)
		CpiTerminate(w->level);
	if (w->codec)
		CpiTerminate(w->codec);
	if (w->file)
		CpiTerminate(w->file);
	free(w->packed);
	free(w->unpacked);
	return NULL;
}

/* -------------------------------------------------------------- all of them */

static void print_score(const char *label, const struct score *s)
{
	if (!s->raw || !s->packed)
		return;
	printf("%-8s %10.2f %8.2f %15.1f %15.1f\n", label, (double)s->raw / 1e6,
		(double)s->raw / (double)s->packed, (double)s->raw / 1e6 / s->compress,
		(double)s->raw / 1e6 / s->decompress);
}

static void print_table(const struct worker *workers, unsigned threads)
{
	printf("%-8s %10s %8s %15s %15s\n", "level", "MB", "ratio", "compress MB/s",
		"decompress MB/s");
	for (int c = 0; c < CODECS; c++) {
		for (int i = 0; i < codecs[c].levels; i++) {
			struct score sum = {0};

			for (unsigned t = 0; t < threads; t++) {
				const struct score *s = &workers[t].score[c][i];

				sum.raw += s->raw;
				sum.packed += s->packed;
				sum.compress += s->compress;
				sum.decompress += s->decompress;
			}
			print_score(codecs[c].level[i].label, &sum);
		}
	}
	printf("(MB/s of one thread)\n");
}

static int tell(const struct worker *workers, unsigned threads)
{
	unsigned lost = 0;
	int loss = 0, failed = 0;

	for (unsigned t = 0; t < threads; t++) {
		if (workers[t].rc != PU_SUCCESS) {
			fprintf(stderr, "compress_bench: thread %u: %s\n", t,
				RcToString(workers[t].rc));
			failed = 1;
		}
		if (workers[t].lost) {
			lost += workers[t].lost;
			loss = workers[t].loss;
		}
	}
	if (lost)
		fprintf(stderr,
			"compress_bench: %u intervals are not in the trace: %s; larger buffers (swtrace init -s) hold more\n",
			lost, RcToString(loss));
	return failed;
}

static int run(struct bench *b, unsigned threads)
{
	struct worker *workers = calloc(threads, sizeof *workers);
	unsigned started = 0;
	int failed;

	if (!workers) {
		fprintf(stderr, "compress_bench: out of memory\n");
		return 1;
	}
	for (; started < threads; started++) {
		struct worker *w = &workers[started];

		w->bench = b;
		w->number = started;
		int rc = pthread_create(&w->thread, NULL, work, w);
		if (rc != 0) {
			fprintf(stderr, "compress_bench: only %u threads: %s\n", started,
				strerror(rc));
			break;
		}
	}
	for (unsigned t = 0; t < started; t++)
		pthread_join(workers[t].thread, NULL);
	failed = started == 0 || tell(workers, started);
	print_table(workers, started);
	free(workers);
	return failed || atomic_load(&b->failed);
}

/* ------------------------------------------------------------- command line */

static const char help[] =
	"usage: compress_bench [-t THREADS] [-r ROUNDS] [FILE ...]\n"
	"\n"
	"Compresses files with zlib (levels 1, 6, 9) and LZ4 (levels 1, 9), unpacks and\n"
	"compares, and marks every file, codec and level as a nested CPI interval.\n"
	"Without FILEs: the largest of this build's own sources and libraries.\n"
	"\n"
	"  -t, --threads THREADS  threads (default: online processors, 2 at least)\n"
	"  -r, --rounds ROUNDS    how often every file is compressed (default 3)\n"
	"  -h, --help             this text\n"
	"  -V, --version          the version\n"
	"\n"
	"Trace it: swtrace run -o trace.bin -- compress_bench; cpidecode trace.bin\n"
	"Exit status: 0; 1 if a file could not be read or a round trip failed; 2 usage.\n";

static int usage(const char *what, const char *value)
{
	fprintf(stderr, "compress_bench: %s \"%s\" (--help says more)\n", what, value);
	return 2;
}

static int number(const char *text, unsigned max, unsigned *value)
{
	char *end;

	errno = 0;
	unsigned long v = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || v < 1 || v > max)
		return -1;
	*value = (unsigned)v;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"threads", required_argument, NULL, 't'},
		{"rounds", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'}, {NULL, 0, NULL, 0}};
	struct bench bench = {.rounds = 3};
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned threads = online < 2 ? 2 : online > THREADS_MAX ? THREADS_MAX : (unsigned)online;
	int o, rc;

	while ((o = getopt_long(argc, argv, "t:r:hV", options, NULL)) != -1) {
		if (o == 't' && number(optarg, THREADS_MAX, &threads) != 0)
			return usage("threads must be a number from 1 to 256, not", optarg);
		if (o == 'r' && number(optarg, 1000000, &bench.rounds) != 0)
			return usage("rounds must be a number from 1 to 1000000, not", optarg);
		if (o == 'h')
			return fputs(help, stdout) < 0;
		if (o == 'V')
			return puts("compress_bench " SWTRACE_VERSION) < 0;
		if (o == '?')
			return 2;
	}
	rc = optind < argc ? corpus_read(&bench.corpus, argv + optind, (size_t)(argc - optind))
			   : corpus_read_default(&bench.corpus);
	if (rc != 0 || bench.corpus.n == 0) {
		fprintf(stderr, "compress_bench: %s\n",
			rc ? "out of memory" : "nothing to compress");
		rc = 1;
	} else {
		rc = run(&bench, threads) || bench.corpus.unreadable;
	}
	corpus_free(&bench.corpus);
	return rc;
}
