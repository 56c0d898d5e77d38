/*
 * Shared by the drain's tests: a session in continuous mode with a file, and its trace.bin
 * decoded hook by hook with libcpidecode.
 */
#ifndef SWT_TESTS_DRAIN_DRAINED_H
#define SWT_TESTS_DRAIN_DRAINED_H

#include <check.h>
#include <sys/resource.h>

#include "../../include/cpidecode.h"
#include "../../libtrace/dump/drain/drain.h"
#include "../lib/suites.h"
#include "sandbox.h"

/* A checked hook's bytes, and how many of them fill a section. */
enum { SECTION = 4096, CHECKED_BYTES = 24 + 4 * 7 + 4, PER_SECTION = SECTION / CHECKED_BYTES };

/* Of the running test. */
extern struct box {
	struct session s;
	struct drain_config config;
	struct drain *d;
	char dir[200]; /* of the file, removed at the end; "": the box is not open */
	uint32_t next; /* number of the next hook that write_hooks writes */
} box;

/* Sections that threads other than the drain's own have compressed in this process. */
uint64_t box_packed_elsewhere(void);

/* A session in continuous mode, on, the caller pinned to a CPU; its file is "trace.bin". */
void box_begin(uint32_t sections);
/* Runs after each test, too. */
void box_end(void);
/* Opens, finishes and closes the drain: none of it may fail. */
void box_drain(void);
/* box_begin and box_drain. */
void box_start(uint32_t sections);
void box_finish(void);
void box_finish_status(struct drain_status *status);
/* Finishing fails with PU_ERR_FILE_ERROR. */
void box_finish_failed(struct drain_status *status);
/* Closes the drain without its end, as if it were killed. */
void box_close(void);
/* Rounds until there is nothing more to take. */
void box_rounds(void);

/* Writes n checked hooks, of id 1 and numbered on from box.next, or of this id and on from *next;
 * returns how many were lost. */
uint32_t write_hooks(uint32_t n);
uint32_t write_hooks_of(uint32_t id, uint32_t *next, uint32_t n);

/* A file's contents. */
struct contents {
	int rc; /* of opening it */
	uint64_t hooks, torn, not_whole, out_of_order, foreign;
	uint64_t full, held, other, unwritten, loss_torn, overwritten;
	uint32_t first, last; /* sequence numbers of id 1 */
	uint64_t damaged_bytes;
	bool cut_off;
	uint32_t version_minor;
	uint8_t trace_id[16];
	uint32_t pid;  /* of the last hook's thread, by the file's TASKS */
	char name[32]; /* of the last hook, by its schema */
	uint8_t *seen; /* per sequence number of id 1 */
	size_t seen_size;
};

/* Reads a file. seen is kept from file to file: a hook that comes twice is out of order. */
void read_file(struct contents *c, const char *path);
void read_more(struct contents *c, const char *path);
/* Finishes the drain and reads its file. */
void box_finish_read(struct contents *c);
void contents_free(struct contents *c);
/* Frees them; nothing is torn, twice, out of order, foreign or damaged, and END is there. */
void contents_free_clean(struct contents *c);
/* The file has these hooks; and is clean, too. */
void file_expect_hooks(const char *path, uint64_t hooks);
void file_expect_clean(const char *path, uint64_t hooks);
off_t file_size(const char *path);
/* No file of this process can grow beyond this. */
void file_limit_size(rlim_t bytes);
/* Finishes the drain: the file is clean and has the hooks that write_hooks wrote. */
void box_finish_clean(void);
/* hooks + torn + losses */
uint64_t contents_sum(const struct contents *c);

/* Runs a program's tests (the last is NULL) in a sandbox, as its last call. With the argument
 * "threads" its drains have 3 threads, which take random times to compress. */
int drain_suite(const char *name, const TTest *const *tests, int argc, char **argv);
int drain_suite_with_loops(const char *name, const TTest *const *tests,
	const struct suite_loop *loops, int argc, char **argv);

#endif
