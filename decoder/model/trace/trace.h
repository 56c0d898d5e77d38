/*
 * The trace: one or several files, opened, scanned and merged. Everything that is not
 * hooks (header, META, tasks, clock, losses, schemas) is read when a file is added;
 * hooks are read by hook_iter, a section per ring at a time.
 *
 * decoder/model owns what a trace means: trace, then hooks, intervals and stats, each above the one
 * before. It includes io and base. Errors: 0 or a CPIDECODE_E code.
 *
 * decoder/model/trace owns files, clocks, tasks and findings. It includes base, clock, hooks,
 * intervals and io. Errors: 0 or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_MODEL_TRACE_TRACE_H
#define SWT_DECODER_MODEL_TRACE_TRACE_H

#include "../../io/input.h"
#include "model.h"
#include "../hooks/schema.h"

struct clock;
struct label;
struct labels;
struct trace_text;
struct clock_finding; /* clock.h */
struct task_losses;   /* task_losses.h */

/* A rejected line: its major's description ends there. */
struct trace_schema_problem {
	uint64_t offset; /* of its section in the file */
	struct schema_error error;
};

struct trace_meta {
	const char *key, *value;	   /* NUL-terminated here; any other bytes */
	uint32_t key_length, value_length; /* without the NUL */
};

/* A ring's facts from section headers and LOSS. */
struct trace_ring {
	uint32_t ring;
	uint64_t sections, stored, raw;	       /* HOOKS sections, bytes */
	uint64_t hooks;			       /* by the section headers */
	uint64_t torn;			       /* as the section headers say */
	uint64_t lost;			       /* sum of the section headers' "lost since" */
	uint64_t lost_first;		       /* of the header at position_first */
	uint64_t first, last;		       /* ticks, as the section headers say */
	uint64_t position_first, position_end; /* of the ring's bytes in the file */
	bool has_loss;			       /* the LOSS section has an entry: the rest is set */
	uint64_t loss_full, loss_big, loss_held, loss_no_guest;
	uint64_t overwritten, loss_torn, skipped;
	bool has_causes; /* a CAUSES section has an entry: the rest is set */
	uint64_t no_slot, no_memory, unattached, unwritten;
	uint64_t twice; /* hooks of skipped sections, which others hold; not in `hooks` */
};

/* A section whose header contradicts its contents or the ring's other sections. */
struct trace_contradiction {
	uint64_t offset; /* of the section in the file */
	const char *why; /* a constant string */
};

/* One input file. Filled in when added; lives as long as the trace. */
struct trace_file {
	const char *path;	 /* as given; "-" is standard input */
	uint32_t index, machine; /* machine: traces with the same id share it */
	struct io_header header;
	const struct io_import *import; /* set for an NRM2 file, else NULL */
	uint64_t fingerprint;		/* of its headers: distinguishes the files of a trace */
	uint64_t bytes;			/* the file's size */
	uint64_t sections;		/* intact sections of all types */
	uint64_t sections_of[TF_TYPES]; /* by type; 0: of unknown types */
	uint64_t hooks_by_codec[4];	/* HOOKS sections, TF_CODEC_; 3: unknown ones */
	bool has_end;			/* false: truncated, the writer did not close it */
	uint64_t hooks;			/* sum over rings */
	bool has_hooks;			/* else first, last are 0 */
	uint64_t first, last;		/* ticks, as the section headers say */
	const struct io_damage *damage; /* in order of offset */
	size_t ndamage;
	uint64_t damaged_bytes;
	const struct trace_contradiction *contradictions; /* the first 10000, in order of finding */
	size_t ncontradictions;
	uint64_t contradictions_untold;
	uint64_t damage_untold;		/* further stretches beyond the list's limit */
	const uint8_t *rings_id;	/* 16 bytes: the identity of the rings; NULL: not in META */
	const struct trace_ring *rings; /* sorted by ring number */
	size_t nrings;
	const struct trace_meta *meta;
	size_t nmeta;
	const char *const *schema_texts; /* as in the file, rejected lines included */
	size_t nschema_texts;
	const struct trace_schema_problem *schema_problems;
	size_t nschema_problems;
	uint64_t ntasks, nsyncs;
	bool ticks_derived;	   /* the rate was derived from clock syncs */
	uint64_t ticks_per_second; /* the one in use */
	const struct clock *clock;
	/* Steps and suspends found in the clock syncs, by ticks; the first 1000. */
	const struct clock_finding *clock_findings;
	size_t nclock_findings;
	uint64_t clock_findings_untold;
	const struct schema_set *schemas;
	const struct labels *labels;
	uint64_t nlabels;
	const struct task_losses *task_losses;
};

/* Files of a drain: each has the number of files written before it, and of those kept. */
struct trace_rotation {
	uint64_t number; /* from 1; 0: not a drain's */
	uint64_t keep;	 /* 0: all */
};

struct trace;

/*
 * progress is called every few MiB while a file is read in or scanned; total is 0
 * when it is not known (a pipe). Returning false cancels: CPIDECODE_ECANCELED.
 */
typedef bool (*trace_progress_fn)(void *ctx, const char *path, uint64_t done, uint64_t total);

int trace_new(struct trace **t);
void trace_free(struct trace *t); /* iterators and sets first; NULL is fine */
void trace_set_progress(struct trace *t, trace_progress_fn fn, void *ctx);

/*
 * Of the files that are added from now on, the checksums of which sections of hooks are
 * verified when the file is added; others are when the section is read, and all other
 * sections are at once. Where a wrong size in a section's header leads, by chance, to another
 * section, those between them are recovered only by verifying first: reading reports the damage.
 */
enum trace_verify {
	VERIFY_SMALL, /* of files up to 64 MiB (the default) */
	VERIFY_ALL,
	VERIFY_LATER, /* of none */
};

void trace_set_verify(struct trace *t, enum trace_verify how);

/*
 * A user's schema: wins over the traces' own. Before the first file is added. On
 * CPIDECODE_ESCHEMA *error says where and why.
 */
int trace_add_schema(struct trace *t, const char *text, size_t length, struct schema_error *error);

/*
 * Adds a file: 0 or a CPIDECODE_E code (errno has the cause of EOPEN, EREAD, ESPOOL). "-"
 * is standard input. After a failure the trace is as before and can still be used. All
 * files are added before the first iterator is opened.
 */
int trace_add_path(struct trace *t, const char *path);
int trace_add_fd(struct trace *t, int fd, const char *name); /* the fd is borrowed */
int trace_add_memory(struct trace *t, const void *bytes, size_t n, const char *name);

/*
 * Once all files are added: keeps one copy of hooks that are in several of them, or twice in one,
 * and counts losses that are in several files once. Rings are the same in two files if their META
 * says so, or, where it does not, if the files are of one trace. Before the first iterator. 0 or a
 * CPIDECODE_E code.
 */
int trace_settle(struct trace *t);

size_t trace_nfiles(const struct trace *t);
const struct trace_file *trace_file(const struct trace *t, size_t i);
/* Whether all files belong to one trace: their ticks are comparable. */
bool trace_one_machine(const struct trace *t);
const char *trace_meta_value(const struct trace_file *f, const char *key); /* NULL: none */
struct trace_rotation trace_rotation(const struct trace_file *f);
/* The trace's id; of a file without one, a trace of its own, its fingerprint behind zeros. */
void trace_file_id(const struct trace_file *f, uint8_t id[16]);
/* The task of tid at that time on that machine; NULL: unknown. */
const struct task *trace_task(
	const struct trace *t, uint32_t machine, uint32_t tid, uint64_t ticks);
/* A task's container as recorded; NULL: the session owner's, or unknown. */
const struct container *trace_container(
	const struct trace *t, uint32_t machine, const struct task *task);
/* Whether any task has one. */
bool trace_has_containers(const struct trace *t);
/* Whether tasks are in more than one: a machine's in several cgroups, or in another PID namespace
 * than the session's owner; or the sessions' owners in different cgroups. */
bool trace_has_several_containers(const struct trace *t);
/* The cgroup of the session's owner; of the first machine where it is known. NULL: unknown. */
const char *trace_owner_cgroup(const struct trace *t, uint32_t machine);
const char *trace_known_owner(const struct trace *t);
/* Whether this machine's tasks are in several containers. If not, *name is the one that CONTAINERS
 * has for all, or NULL. */
bool trace_machine_has_several(const struct trace *t, uint32_t machine, const char **name);
/* The file's label of that number; NULL: it has none. */
const struct label *trace_label(const struct trace_file *f, uint32_t number);
/* Texts by index (labels.h). Several threads may call these. */
struct trace_text trace_text_at(const struct trace *t, uint32_t index);
/* TEXT_NONE: more texts than this reader keeps. */
uint32_t trace_text_index(const struct trace *t, const char *text, uint32_t length);
/* Above the index of any text that hooks state. */
size_t trace_texts_limit(const struct trace *t);
/*
 * From now on, readers of intervals note which names their values have, among those of the parts
 * that they read (enum interval_want). Before the first iterator. 0 or CPIDECODE_ENOMEM.
 */
int trace_note_values(struct trace *t);
/* Whether one that was read so far had a value of that kind (enum value_kind) and name
 * (trace_text_at). */
bool trace_had_value(const struct trace *t, uint8_t kind, uint32_t index);
/* A task of the trace by index from 0, for listings; NULL beyond the last. */
const struct task *trace_task_at(const struct trace *t, uint32_t machine, size_t i);

/* A section of hooks of a ring, as its header says. */
struct trace_section {
	uint64_t position; /* in the ring */
	uint64_t first,
		last; /* ticks of its hooks; if the header has none, from the sections around it */
	uint32_t hooks;
	uint32_t lost; /* hooks lost on the ring since the section before it */
	uint32_t torn;
};

/* Section i of a file's ring (an index in rings), in order of position. False beyond the last.
 */
bool trace_section(const struct trace_file *f, size_t ring, size_t i, struct trace_section *s);

/* CLOCK_REALTIME of the first and last hook of all files, by section headers. false: none. */
bool trace_span(const struct trace *t, int64_t *first_ns, int64_t *last_ns);
/* Whether any file has scripted counters. */
bool trace_scripted(const struct trace *t);

/* Ticks to CLOCK_REALTIME; saturates. */
int64_t trace_time(const struct trace_file *f, uint64_t ticks);
/*
 * The time of the file's hooks never goes back as their ticks advance. False where CLOCK_REALTIME
 * was stepped back (clock_is_monotone): a range of time is then no range of ticks.
 */
bool trace_time_is_monotone(const struct trace_file *f);
/* A duration in ticks of the file's clock, in nanoseconds. */
double trace_duration_ns(const struct trace_file *f, uint64_t ticks);
/* In whole nanoseconds for durations of 2^52 ns or more; 0 for shorter ones, where a double is
 * exact enough. */
uint64_t trace_long_ns(const struct trace_file *f, uint64_t ticks, double ns);

/*
 * How far the times of the file's hooks may be from what CLOCK_REALTIME read, in ns, as far as
 * its clock syncs show (clock_error); NAN: unknown, or it has no hooks.
 */
double trace_time_error(const struct trace_file *f);

/* How well files merged by CLOCK_REALTIME agree. */
struct trace_alignment {
	size_t traces; /* by trace id: the files of one have the same ticks */
	size_t hosts;  /* by META's host; a trace without it counts as a host of its own */
	/*
	 * The clocks of any two traces agree to within that many ns, as far as their syncs show:
	 * the sum of the two largest errors of time. NAN: unknown. The difference that NTP leaves
	 * between two hosts' CLOCK_REALTIME is not in it: no trace can show it.
	 */
	double within_ns;
};

/* The alignment of the files that have hooks. With fewer than two traces within_ns is 0. */
struct trace_alignment trace_alignment(const struct trace *t);

/*
 * Hooks of all files in order: if they are of one trace ticks, ring, position, file, as
 * if it were one file; else files are merged by CLOCK_REALTIME, then these. Of a ring they stay in
 * order of position: a stamp that goes back or lies outside its section's range is clamped.
 */
struct hook_iter;

/* Findings of reading, per ring and summed per trace. */
struct hook_counts {
	uint64_t hooks, pads, torn;
	uint64_t reserved;	/* records of reserved kinds, skipped */
	uint64_t malformed;	/* records that contradict themselves, or belong to a group and
				   have none: skipped */
	uint64_t promised;	/* hooks, by the headers of the sections that were read */
	uint64_t torn_promised; /* by the same headers */
	uint64_t bad_sections;	/* sections that failed to unpack, to match their checksum or to be
				   read */
	uint64_t twice;		/* hooks skipped because another section holds them */
	uint64_t bad_bytes;	/* raw bytes of sections given up after a bad record */
};

/* A section that could not be unpacked or read to its end: damage invisible to a scan. */
struct hook_damage {
	uint32_t file, ring;
	uint64_t offset; /* of the section in the file */
	uint64_t bytes;	 /* of payload that were not read: raw bytes, or stored ones if not unpacked
			  */
	const char *why;
};

/* The reason, for a section at which reading failed with CPIDECODE_EREAD. */
extern const char hook_unreadable[];

/* Members of hooks that the caller does not read; skipped while decoding. */
enum hook_spared {
	HOOK_SPARE_TIME = 1 << 0, /* time_ns; of no effect where a range of time needs it */
	HOOK_SPARE_TASK = 1 << 1,
};

int hook_iter_open(const struct trace *t, struct hook_iter **it);
/*
 * Restricts to hooks stamped from <= CLOCK_REALTIME <= to. Before the first next. Sections that lie
 * outside are not even unpacked (and not counted).
 */
void hook_iter_range(struct hook_iter *it, int64_t from_ns, int64_t to_ns);
/*
 * At any moment: continues with the first hook that is not before time_ns, forwards or
 * backwards, within the range. Sections before it are not read. If a file's clock goes backwards,
 * its hooks before that may be skipped. Counts and damage include repeated reads. 0 or
 * CPIDECODE_ENOMEM, which stays.
 */
int hook_iter_seek(struct hook_iter *it, int64_t time_ns);
/* Returns 1 and a hook (valid until the next call), 0 at the end, or a negative code. */
int hook_iter_next(struct hook_iter *it, const struct hook **h);
void hook_iter_counts(const struct hook_iter *it, struct hook_counts *total);
/* False if the file has no such ring. i as in trace_file.rings. */
bool hook_iter_ring_counts(
	const struct hook_iter *it, size_t file, size_t i, struct hook_counts *counts);
/* By file, then offset: the first 1000 at most; total.bad_sections counts all of them. */
const struct hook_damage *hook_iter_damage(struct hook_iter *it, size_t *n);
/* HOOKS bytes read so far and in all (stored), for progress. */
void hook_iter_progress(const struct hook_iter *it, uint64_t *done, uint64_t *total);
void hook_iter_close(struct hook_iter *it);

#endif
