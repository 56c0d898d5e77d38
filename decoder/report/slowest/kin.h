/*
 * The family of a few intervals: those that contain each, and those nested in it, by name. Fed
 * with all intervals of a trace by machine and ticks, parents first.
 */
#ifndef SWT_DECODER_REPORT_SLOWEST_KIN_H
#define SWT_DECODER_REPORT_SLOWEST_KIN_H

#include "../../base/intern.h"
#include "../../model/intervals/thread_stacks.h"
#include "../../model/trace/trace.h"

enum {
	KIN_PARENTS = 64,  /* the innermost ones */
	KIN_CHILDREN = 64, /* names; the rest count as others */
};

/* An interval's name. */
struct kin_name {
	const char *label; /* NULL: none */
	uint32_t length;
	uint8_t mm, major;
};

struct kin_parent {
	struct kin_name name;
	double elapsed_ns;
};

struct kin_child {
	struct kin_name name;
	uint64_t count;
	double self_ns; /* without nested intervals */
};

/* Starts zeroed but for its hook (file, ring, position) and is_brief. */
struct kin {
	uint32_t file, ring;
	uint64_t position;
	bool is_brief; /* without iv and parents */
	bool is_found;
	double elapsed_ns;
	const struct interval *iv; /* a copy, once is_found */
	double self_ns;
	struct kin_parent *parents; /* outermost first */
	size_t nparents;
	struct kin_child *children;
	size_t nchildren, room;
	struct kin_child others; /* without a name */
};

struct kin_walk {
	const struct trace *trace;
	struct kin *kins; /* in order of file, ring and position: kin_sort */
	size_t count;
	struct thread_stacks threads;
	struct intern memory; /* of the kins' texts and parents */
	int rc;		      /* of a call that could not return it */
};

void kin_sort(struct kin *kins, size_t count);
/* NULL: none of that hook. */
struct kin *kin_find(
	struct kin *kins, size_t count, uint32_t file, uint32_t ring, uint64_t position);
/* The next interval. 0 or CPIDECODE_ENOMEM. */
int kin_add(struct kin_walk *w, const struct interval *iv);
/* After the last one: children are sorted by self time. 0 or CPIDECODE_ENOMEM. */
int kin_end(struct kin_walk *w);
/* Frees all but the array of kins. */
void kin_free(struct kin_walk *w);
bool kin_is_named(const struct kin_name *a, const struct kin_name *b);

#endif
