/*
 * Hooks in signal handlers: their stack use, and that they do not allocate, in every situation: no
 * session, new rings, a full section.
 */
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include "../../libtrace/session/attach.h"
#include "painted.h"
#include "sandbox.h"

/* ------------------------------------------------------------------- malloc */

/* A handler may interrupt code that allocates. */
static volatile bool is_watched;
static volatile unsigned allocations;

#if defined(__GLIBC__)
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

void *malloc(size_t bytes)
{
	allocations += is_watched;
	return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	allocations += is_watched;
	return __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
	allocations += is_watched;
	return __libc_realloc(p, bytes);
}

void free(void *p)
{
	allocations += is_watched && p;
	__libc_free(p);
}
#endif

/* -------------------------------------------------------------------- hooks */

#define R5(x) x, x, x, x, x
#define R15(x) R5(x), R5(x), R5(x)
#define R51(x) R15(x), R15(x), R15(x), R5(x), x
#define R255(x) R51(x), R51(x), R51(x), R51(x), R51(x)
/* Bytes of stack that a call of TraceHook with so many arguments uses. */
#define ARGUMENT_BYTES(n) (8 * ((n) + 4))

static UINT32 many_words[1000];
static TRACE_STRING many_strings[255];

static int words_none(void)
{
	return TraceHookWords(1, 1, 0, NULL);
}

static int words_many(void)
{
	return TraceHookWords(1, 1, 1000, many_words);
}

static int ints_none(void)
{
	return TraceHook(1, 1, 0, 0);
}

static int ints_many(void)
{
	return TraceHook(1, 1, 255, 0, R255(7));
}

static int string_one(void)
{
	return TraceHook(1, 1, 1, 1, 7, "a string");
}

static int strings_most(void)
{
	return TraceHook(1, 1, 0, 255, R255("a"));
}

static int data_most(void)
{
	return TraceHookData(1, 1, 100, many_words, 255, many_strings);
}

static int sections(void)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < 200; i++)
		rc = TraceHookWords(1, 1, 100, many_words);
	return rc;
}

static int invalid(void)
{
	return TraceHookWords(1, 1, 1, NULL) == PU_ERR_NULL_PTR ? 0 : 1;
}

static int no_descriptors(void)
{
	return TraceHookWords(1, 1, 0, NULL) == PU_ERROR_INSUFFICIENT_RESOURCES ? 0 : 1;
}

/* -------------------------------------------------------------- the state that they find */

static struct session box;

static void do_nothing(void)
{
}

static void attached(void)
{
	if (TraceHookWords(1, 1, 0, NULL) != 0)
		die("no hook");
}

static void new_rings(void)
{
	struct session_config config = {
		.ring_bytes = 1 << 20, .section_bytes = 65536, .group = (gid_t)-1};

	attached();
	if (session_off(&box, NULL) || session_init(&box, &config, NULL) || session_on(&box, NULL))
		die("no new rings");
}

static void no_session_yet(void)
{
	sandbox_fresh();
}

/* pthread allocates the values of a thread's keys from the 33rd on. */
static void many_keys(void)
{
	pthread_key_t key;

	for (int i = 0; i < 40; i++)
		pthread_key_create(&key, NULL);
}

static void descriptors_gone(void)
{
	struct rlimit limit = {0, 0};

	setrlimit(RLIMIT_NOFILE, &limit);
}

static const struct row {
	const char *name;
	void (*before)(void);
	int (*hook)(void);
	size_t arguments;
} rows[] = {
	{"first hook ever", do_nothing, words_none, 0},
	{"first hook ever, no session yet", no_session_yet, words_none, 0},
	{"first hook ever, 40 keys", many_keys, words_none, 0},
	{"first hook ever, TraceHook", do_nothing, ints_none, 0},
	{"first hook ever, TraceHook with a string", do_nothing, string_one, 0},
	{"first hook ever, TraceHookData", do_nothing, data_most, 0},
	{"first hook, no descriptors", descriptors_gone, no_descriptors, 0},
	{"first hook ever, invalid", do_nothing, invalid, 0},
	{"first hook of new rings", new_rings, words_none, 0},
	{"first hook of new rings, TraceHook with a string", new_rings, string_one, 0},
	{"TraceHookWords", attached, words_many, 0},
	{"TraceHook, no words", attached, ints_none, 0},
	{"TraceHook, 255 words", attached, ints_many, ARGUMENT_BYTES(255)},
	{"TraceHook, a string", attached, string_one, 0},
	{"TraceHook, 255 strings", attached, strings_most, ARGUMENT_BYTES(255)},
	{"TraceHookData, 100 words, 255 strings", attached, data_most, 0},
	{"sections entered", attached, sections, 0},
};

static int (*watched_hook)(void);

static int watched(void)
{
	int rc;

	is_watched = true;
	rc = watched_hook();
	is_watched = false;
	return rc;
}

static void run_row(const void *arg)
{
	const struct row *row = arg;
	size_t used;
	int rc;

	box_open(&box, SHM_MODE_WRAP, 1 << 20, 65536);
	row->before();
	watched_hook = row->hook;
	used = painted_run(watched, &rc);
	used = used > row->arguments ? used - row->arguments : 0;
	count_result(rc == 0 && used <= HANDLER_STACK_BYTES && allocations == 0, row->name,
		"rc %d, %zu bytes of stack, %u allocations", rc, used, allocations);
}

static int sandboxed_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (unsigned i = 0; i < 255; i++)
		many_strings[i] = (TRACE_STRING){"ab", 2};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		scenario(run_row, &rows[i]);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 60);
}
