/*
 * A session in /dev/shm: the control file that its owner writes and programs map
 * read-only, the ring file, the task table and the schema area that every member
 * writes. Native byte order: these never leave the machine. Description: session.md.
 */
#ifndef SWT_FORMATS_SESSION_H
#define SWT_FORMATS_SESSION_H

#include <stddef.h>
#include <stdint.h>

#define SHM_ROOT "/dev/shm"
#define SHM_DIR_FORMAT SHM_ROOT "/swtrace.%u" /* owner's uid */
#define SHM_CONTROL_NAME "control"
#define SHM_LOCK_NAME "lock"
#define SHM_DRAIN_NAME "drain"	    /* the drain's file; its flock shows a live drain */
#define SHM_KERNEL_NAME "kernel"    /* struct shm_kernel; its flock shows a live recorder */
#define SHM_RINGS_FORMAT "rings.%u" /* generation */
#define SHM_TASKS_FORMAT "tasks.%u"
#define SHM_SCHEMAS_FORMAT "schemas.%u"
#define SHM_LABELS_FORMAT "labels.%u"
#define SHM_CGROUPS_FORMAT "cgroups.%u"
#define SHM_DOCTOR_FORMAT "doctor.%u"
#define SHM_LOCKS_FORMAT "locks.%u.%u" /* generation, 0 to SHM_LOCK_FILES - 1 */

#define SHM_MAGIC 0x31304c5254575353ull /* "SSWTRL01" */
#define SHM_VERSION 3u

enum {
	SHM_MAJORS = 256,
	SHM_MAX_CPUS = 1024,
	SHM_MAX_GUESTS = 16,
	SHM_MAX_RINGS = SHM_MAX_CPUS + SHM_MAX_GUESTS,
	SHM_PAGE = 4096,
	SHM_EVENTS_BYTES = 1024, /* 8 names of 127 bytes, commas and a NUL */
	SHM_DOCTOR_BYTES_MAX = 32 << 10,
};

enum shm_state {
	SHM_NO_RINGS = 0,
	SHM_OFF = 1,
	SHM_ON = 2,
	SHM_SUSPENDED = 3,
};

enum shm_mode {
	SHM_MODE_NORMAL = 0,
	SHM_MODE_WRAP = 1,
	SHM_MODE_CONTINUOUS = 2,
};

enum shm_loss {
	SHM_LOST_FULL,
	SHM_LOST_BIG,
	SHM_LOST_HELD,
	SHM_LOST_NO_GUEST,
	SHM_LOST_NO_SLOT,    /* the task table is full: the thread may not write */
	SHM_LOST_NO_MEMORY,  /* a section's pages could not be allocated */
	SHM_LOST_UNATTACHED, /* the process could not attach until later */
	SHM_SKIPPED,	     /* sections; a statistic, not a term of the ledger */
	SHM_LOSSES,
};

/* All hooks lost; SHM_SKIPPED counts sections. */
static inline uint64_t shm_losses_sum(const uint64_t loss[SHM_LOSSES])
{
	uint64_t sum = 0;

	for (int k = SHM_LOST_FULL; k < SHM_SKIPPED; k++)
		sum += loss[k];
	return sum;
}

/* Written once per generation, before the generation number. */
struct shm_geometry {
	uint32_t cpus;	       /* rings 0..cpus-1 belong to CPU numbers */
	uint32_t guests;       /* rings cpus..cpus+guests-1 */
	uint32_t section_size; /* a power of two */
	uint32_t sections;     /* per ring, at least 2 */
	uint64_t ring_size;    /* section_size * sections */
	uint64_t ring_stride;  /* bytes from one ring's header to the next's */
	uint64_t data_offset;  /* from a ring's header to its data */
	uint64_t file_size;    /* of the ring file */
	uint32_t mode;	       /* enum shm_mode */
	uint32_t clock;	       /* enum tf_clock */
	uint64_t ticks_per_second;
};

/* Per ring. Only the owner writes it; writers read start and released. */
struct shm_ring_control {
	uint64_t start; /* hooks before this position are discarded */
	/*
	 * Continuous mode: the drain has read everything before this position, the first byte of
	 * a section: writers may go as far as released + ring size. Only the holder of the drain's
	 * lock stores it, with release; never goes back. Holds the position's section, counted
	 * from 0, and above SHM_RELEASED_BITS the generation's low bits: a word of a drain whose
	 * rings were replaced meanwhile counts as 0.
	 */
	uint64_t released;
	uint64_t loss_base[SHM_LOSSES]; /* the counters when it was last discarded */
	uint64_t overwritten_base;
	uint64_t torn_base;
	/* The drain's totals since the generation began, as shm_figure: hooks that it wrote, and
	 * records that it read uncommitted. */
	uint64_t drained;
	uint64_t drained_torn;
	/* Raised, with release, after start or keep was changed: an entry is made only while it is
	 * unchanged since the writer loaded those. */
	uint64_t changes;
	/* Wrap mode: a dump keeps the contents of the sections entered below this position (the low
	 * 3 bits only distinguish dumps). A writer that enters one of them uses the other area. 0:
	 * none are kept. */
	uint64_t keep;
};

enum { SHM_RELEASED_BITS = 44, SHM_FIGURE_BITS = 48 };

/*
 * A figure of the drain, which cannot check the generation and store in one step: above
 * SHM_FIGURE_BITS are the generation's low bits, so that a figure of replaced rings reads as 0.
 */
static inline uint64_t shm_figure(uint32_t generation, uint64_t n)
{
	return (uint64_t)generation << SHM_FIGURE_BITS |
	       (n & ((UINT64_C(1) << SHM_FIGURE_BITS) - 1));
}

static inline uint64_t shm_figure_value(uint32_t generation, uint64_t word)
{
	return (word ^ shm_figure(generation, 0)) >> SHM_FIGURE_BITS
		       ? 0
		       : word & ((UINT64_C(1) << SHM_FIGURE_BITS) - 1);
}

enum shm_drain_state {
	SHM_DRAIN_NONE = 0,	/* none so far in this generation */
	SHM_DRAIN_RUNNING = 1,	/* if its lock is free, the drain was killed */
	SHM_DRAIN_FINISHED = 2, /* the file was closed properly */
	SHM_DRAIN_FAILED = 3,	/* see `why` */
};

/* The drain's status, for info: written by the holder of its lock. */
struct shm_drain {
	uint32_t state;	     /* enum shm_drain_state */
	uint32_t generation; /* of the drain; if it is not the session's, ignore the rest */
	uint32_t pid;
	uint32_t reserved;
	uint8_t trace_id[16];	    /* of its files */
	uint64_t bytes;		    /* written, all files */
	uint64_t hooks, torn, lost; /* lost: could no longer be written */
	uint64_t rotations;
	char why[256]; /* the line of a failure */
};

/*
 * The recorder of the kernel's records: SHM_KERNEL_NAME. The holder of its lock writes the figures,
 * others the requests behind them, through a descriptor that they close then: this wakes the
 * recorder.
 */
struct shm_kernel {
	uint64_t magic;
	uint32_t generation, pid;
	uint32_t cpus;		 /* of which records are read: all that were online */
	uint32_t has_ended;	 /* it ended as it should; else it is running, or was killed */
	uint64_t switches, lost; /* records; lost: by the kernel, before they were read */
	uint64_t dropped;	 /* switches and wake-ups for which the rings had no room */
	uint64_t hooks;		 /* that it wrote */
	uint64_t answered;	 /* the last `asked` that was done */
	/* Requests. */
	uint64_t asked;	  /* larger than before: make hooks of all records so far */
	uint32_t ends_of; /* the recorder of this pid shall end */
	uint32_t reserved;
	/* Figures that a recorder of an older version lacks: the file ends before them. */
	uint64_t wakeups;
	uint32_t has_wakeups; /* wake-ups are recorded */
	uint32_t wakeups_of;  /* the pid whose figures these are; not `pid`: another recorder's */
	uint64_t wakeups_missing; /* those that the kernel counted, but did not hand over */
};

/* Generations restart at 1 after this one. No gate ever holds a larger number. */
#define SHM_LAST_GENERATION 0x7fffffffu

struct shm_control {
	/* The generation while tracing is on and the major enabled, else 0. Programs map it: one
	 * comparison shows that a hook is wanted, and that its thread knows the current rings. */
	uint32_t gate[SHM_MAJORS];
	uint8_t majors[SHM_MAJORS]; /* enabled */
	uint64_t magic;
	uint32_t version;
	uint32_t state;		  /* enum shm_state */
	uint32_t generation;	  /* of the rings; 0: there are none */
	uint32_t owner;		  /* uid, for information */
	uint32_t group;		  /* gid that may trace, UINT32_MAX: none */
	uint32_t last_generation; /* the highest so far */
	uint64_t sync[3];	  /* at init: ticks, CLOCK_REALTIME, CLOCK_MONOTONIC ns */
	/* At init: inode of the owner's time namespace, 0: unknown. CLOCK_MONOTONIC_RAW has an
	 * offset in each; the clocks that are instructions have none. */
	uint64_t time_namespace;
	struct shm_geometry geometry;
	struct shm_drain drain;
	uint8_t rings_id[16]; /* random, constant while the rings' positions continue; 0: unknown */
	uint64_t discards;    /* of these rings: losses are counted since the last one */
	/* How often the gate was closed: an interval begun before is none that is still open. */
	uint64_t closings;
	/* The events that programs count in intervals in this generation, unless they have a list
	 * of their own (SWTRACE_EVENTS). NUL-terminated; "": none. */
	char events[SHM_EVENTS_BYTES];
	/* `closings` when the gate was open last: intervals begun since may be open. */
	uint64_t period;
	uint32_t begins; /* of this generation: 1: intervals have begin hooks */
	/* At init: inode of the owner's PID namespace, in which thread ids have the meaning that
	 * files give them. 0: unknown, and all tasks count as in it. */
	uint32_t pid_namespace;
	uint64_t proc_device; /* at init: st_dev of the owner's /proc, 0: unknown */
	uint32_t made_up;     /* of this generation: 1: geometry.cpus is SWTRACE_TEST_CPUS */
	uint32_t keep_beat;   /* counts what the dump that keeps the rings has read: it goes on */
	/* The number of the dump that keeps the rings, or did last. Its lock on that byte of the
	 * lock file shows that it is alive. */
	uint32_t keep_owner;
	uint32_t reserved2;
	uint64_t cgroup_namespace; /* at init: inode of the owner's cgroup namespace, 0: unknown */
	uint64_t closed;	   /* ticks when `period` ended, 0: unknown */
	uint8_t reserved1[SHM_PAGE - 5 * SHM_MAJORS - 64 - sizeof(struct shm_geometry) -
			  sizeof(struct shm_drain) - 88 - SHM_EVENTS_BYTES];
	struct shm_ring_control ring[SHM_MAX_RINGS];
};

#define SHM_CONTROL_SIZE ((sizeof(struct shm_control) + 0xffff) & ~(size_t)0xffff)

_Static_assert(offsetof(struct shm_control, gate) == 0, "the gate is mapped by offset");
_Static_assert(offsetof(struct shm_control, magic) == 1280, "layout");
_Static_assert(offsetof(struct shm_control, ring) == SHM_PAGE, "layout");
_Static_assert(sizeof(struct shm_ring_control) == 128, "layout");

/*
 * Ring file: SHM_PAGE bytes of file header, then per ring its header (a multiple of
 * SHM_PAGE) and its data: one area of ring_size bytes, or two, of which a section's contents are in
 * either. Any member may scribble on everything here.
 */
struct shm_ring_file {
	uint64_t magic;
	uint32_t generation;
	uint32_t sticky; /* SHM_STICKY_ */
};

#define SHM_STICKY_SCRIPTED 1u /* a process with scripted counters traced here */

/* The sums of a ring when a section was entered, including that entry's. */
struct shm_counts {
	uint64_t overwritten; /* hooks */
	uint64_t torn;	      /* uncommitted records overwritten */
	uint64_t lost;	      /* hooks, all causes */
};

/*
 * Per section of a ring, all written by the sequence that enters it at position P. The
 * counts of an entry are those of its lap's parity: a sequence that is aborted (or its
 * writer killed) before it stores the entry word leaves the valid ones unchanged, even
 * if a ring's only usable section follows itself.
 */
struct shm_section {
	/* P + 1, and SHM_ENTRY_AREA if it is in the second area; 0: never entered. */
	uint64_t entry;
	struct shm_counts counts[2];
	/* A hint that any writer may leave: the position of the first uncommitted record found in
	 * the contents, as position / section size << SHM_HELD_BITS | offset in the section / 8. */
	uint64_t held;
};

enum { SHM_HELD_BITS = 20, SHM_ENTRY_AREA = 2 };

/* A clock behind last_stamp by more than this went back: processors' clocks differ by less. */
enum { SHM_CLOCK_BACK_NS = 1000000 };

struct shm_ring {
	uint64_t head;	     /* a position: never wraps, never goes back */
	uint64_t last_stamp; /* stamps never go below it */
	/* head - lap is head's offset in the data, in either area. Stored by the writer
	 * that enters a section; stale only while head is on a section's first byte, where
	 * writers do not reserve. Only writers use it, and they bound it. */
	uint64_t lap;
	uint64_t reserved0[5];
	uint32_t lock; /* guest rings: 0 free, else the holder's number */
	uint32_t reserved1;
	uint64_t loss[SHM_LOSSES];
	/* Statistics of section entries whose clock was behind last_stamp by more than
	 * SHM_CLOCK_BACK_NS: their number, and the largest step in ticks. */
	uint64_t clock_back, clock_back_most;
	/* A hint that any writer may leave: the position, beyond head, where the search for a
	 * section to enter continues; a hook's bounded work ended it there. */
	uint64_t search;
	uint64_t reserved2[4];
	struct shm_section section[];
};

_Static_assert(offsetof(struct shm_ring, lock) == 64, "a line of its own for head");
_Static_assert(offsetof(struct shm_ring, section) == 192, "layout");
_Static_assert(sizeof(struct shm_section) == 64, "a line each");

/*
 * Task table: an array of slots, one per thread and one per process. A process holds, from before
 * its first hook until its memory is freed, an OFD lock: on byte index / SHM_LOCK_FILES of the
 * lock file index % SHM_LOCK_FILES, index being its process slot's. If the lock is free, the
 * process is dead. (Several files: the kernel walks a file's locks one by one.)
 *
 * A slot's state word holds its number of claims (1 to SHM_TASK_SEQUENCES - 1, then 1 again)
 * above SHM_TASK_STATE_BITS and an enum shm_task_state below. Sequence and index make a number,
 * never 0, that names one thread or process of the session. Records in a ring carry their
 * writer's number where a file has the thread id, and a guest ring's lock word its holder's.
 */
enum {
	SHM_TASK_INDEX_BITS = 18,
	SHM_TASK_SLOTS = 1 << SHM_TASK_INDEX_BITS,
	SHM_TASK_SEQUENCES = 1 << (32 - SHM_TASK_INDEX_BITS),
	SHM_TASK_STATE_BITS = 8,
	SHM_LOCK_FILES = 64,
};

enum shm_task_state {
	SHM_TASK_FREE = 0,
	SHM_TASK_CLAIMED = 1, /* being filled in */
	SHM_TASK_LIVE = 2,    /* a thread; its process may be dead */
	SHM_TASK_ENDED = 3,   /* released: the task writes no more */
	SHM_TASK_PROCESS = 4, /* a process: tid 0, no name */
};

struct shm_task {
	uint32_t state; /* sequence << SHM_TASK_STATE_BITS | enum shm_task_state */
	uint32_t tid, pid;
	uint32_t process; /* number of its process's slot; a process's own for itself; 0: none */
	uint64_t first;	  /* ticks when it registered */
	char name[16];
	uint32_t source; /* enum shm_source: source of this process's counts */
	/* Bits 0-3: instructions, busy, thread instructions, thread cycles are measured; 8-11:
	 * enum cpi_source of busy; 12: the thread's are of user mode only; 13: the machine has
	 * several types of core. */
	uint32_t source_flags;
	uint32_t pid_namespace; /* inode of the one that tid and pid are of; 0: unknown */
	uint32_t cgroup;	/* number of its name in struct shm_cgroup_file; 0: unknown */
	uint64_t reserved;
};

_Static_assert(sizeof(struct shm_task) == 64, "layout");

static inline uint32_t shm_task_number(uint32_t index, uint32_t state)
{
	return state >> SHM_TASK_STATE_BITS << SHM_TASK_INDEX_BITS | index;
}

static inline uint32_t shm_task_kind(uint32_t state)
{
	return state & ((1u << SHM_TASK_STATE_BITS) - 1);
}

static inline uint32_t shm_task_index(uint32_t number)
{
	return number & (SHM_TASK_SLOTS - 1);
}

static inline uint32_t shm_task_sequence(uint32_t number)
{
	return number >> SHM_TASK_INDEX_BITS;
}

/* The state word of that number's slot while it is its own. */
static inline uint32_t shm_task_state(uint32_t number, uint32_t kind)
{
	return shm_task_sequence(number) << SHM_TASK_STATE_BITS | kind;
}

enum shm_source {
	SHM_SOURCE_NONE = 0, /* wrote hooks, measured nothing */
	SHM_SOURCE_SOFTWARE = 1,
	SHM_SOURCE_PERF = 2,
	SHM_SOURCE_SCRIPTED = 3,
};

/*
 * Slots are used in order of their index first, then again in the order in which they were given
 * back, so that a task's name outlives it for as long as there is room. Returned slots wait
 * in one of two queues: the members', or the owner's for those that its sweep found dead. (Two,
 * because the owner's commands never map the file, which any member may truncate, and so cannot
 * share counters with members.)
 *
 * init allocates the header, the members' queue and the first slots; a member allocates a page of
 * further slots before it claims one there.
 */
struct shm_task_queue {
	uint64_t freed;	 /* entries ever put in ... */
	uint64_t reused; /* ... and taken out; the next is entry reused % SHM_TASK_SLOTS */
};

enum { SHM_TASK_FIRST_SLOTS = 1 << 14 };

struct shm_task_header {
	uint64_t magic;
	uint64_t used;	  /* slots that were ever claimed, at most SHM_TASK_SLOTS */
	uint64_t claims;  /* claims ever made: readers poll it */
	uint64_t refused; /* claims that found no slot */
	struct shm_task_queue given, swept;
	/* The owner's, for its next sweep: slots taken after the last one, and `refused` then. */
	uint64_t kept, kept_refused;
};

struct shm_task_file {
	struct shm_task_header head;
	uint8_t reserved[SHM_PAGE - sizeof(struct shm_task_header)];
	uint32_t given_entry[SHM_TASK_SLOTS]; /* numbers; 0: none; SHM_TASK_PASSED */
	struct shm_task slot[SHM_TASK_SLOTS];
	uint32_t swept_entry[SHM_TASK_SLOTS];
};

/*
 * After the table, on pages of its own: a word per slot with the hooks that its task lost. Rings of
 * an older version have none. A word holds its task's sequence above SHM_TASK_LOST_BITS, so that a
 * later task of the slot does not inherit it. Sparse: only pages with losses use memory.
 */
enum { SHM_TASK_LOST_BITS = 50 };

struct shm_task_losses {
	uint64_t word[SHM_TASK_SLOTS];
};

#define SHM_TASK_LOSSES_OFFSET ((sizeof(struct shm_task_file) + 0xffff) & ~(size_t)0xffff)
#define SHM_TASKS_BYTES (SHM_TASK_LOSSES_OFFSET + sizeof(struct shm_task_losses))

_Static_assert(SHM_TASK_LOST_BITS + 32 - SHM_TASK_INDEX_BITS == 64, "a sequence fits above");

static inline uint64_t shm_task_lost(uint32_t number, uint64_t hooks)
{
	return (uint64_t)shm_task_sequence(number) << SHM_TASK_LOST_BITS | hooks;
}

static inline uint64_t shm_task_lost_hooks(uint64_t word)
{
	return word & ((UINT64_C(1) << SHM_TASK_LOST_BITS) - 1);
}

/* The task number of this slot's word. */
static inline uint32_t shm_task_lost_number(uint32_t index, uint64_t word)
{
	return (uint32_t)(word >> SHM_TASK_LOST_BITS) << SHM_TASK_INDEX_BITS | index;
}

/* Stored by a consumer that claimed an entry before its producer filled it: the producer queues the
 * slot again. */
enum { SHM_TASK_PASSED = 1 };

#define SHM_TASKS_ALLOCATED                                                                        \
	(offsetof(struct shm_task_file, slot) + SHM_TASK_FIRST_SLOTS * sizeof(struct shm_task))

_Static_assert(offsetof(struct shm_task_file, given_entry) == SHM_PAGE, "layout");
_Static_assert(offsetof(struct shm_task_file, slot) % SHM_PAGE == 0, "no slot on two pages");

/*
 * Texts one after the other: the schemas, and the labels, that the session's programs registered,
 * and the names of the cgroups that they are in. Who appends holds an OFD lock on the file's first
 * byte and raises `used` last.
 */
enum {
	SHM_SCHEMA_BYTES = 256 * 1024,
	SHM_SCHEMA_TEXT_MAX = 64 * 1024,
	/* Memory is allocated as labels come. */
	SHM_LABEL_BYTES = 16 << 20,
	SHM_LABEL_TEXT_MAX = 64 * 1024,
	SHM_CGROUP_BYTES = 256 * 1024,
	SHM_CGROUP_TEXT_MAX = 256,
	SHM_CGROUP_OWNER = 1, /* the number of the owner's: init appends it first */
};

struct shm_text {
	uint32_t length; /* of the text, not 0 */
	uint32_t hash;	 /* of a label: saves its programs the comparison */
	char text[];	 /* then zeros to a multiple of 8 */
};

#define SHM_TEXT_FILE_HEAD                                                                         \
	uint64_t magic;                                                                            \
	uint32_t used; /* bytes of area */                                                         \
	uint32_t reserved[13]

struct shm_schema_file {
	SHM_TEXT_FILE_HEAD;
	uint8_t area[SHM_SCHEMA_BYTES];
};

/* A label's number is its offset in the area / 8 + 1. The area is a LABELS section's payload. */
struct shm_label_file {
	SHM_TEXT_FILE_HEAD;
	uint8_t area[SHM_LABEL_BYTES];
};

/* A name's number is that of a label. Sparse: uses memory as names come. */
struct shm_cgroup_file {
	SHM_TEXT_FILE_HEAD;
	uint8_t area[SHM_CGROUP_BYTES];
};

_Static_assert(
	offsetof(struct shm_schema_file, area) == 64 && offsetof(struct shm_label_file, area) == 64,
	"layout");
_Static_assert(offsetof(struct shm_cgroup_file, area) == 64, "layout");

/* The size of a text in an area, in bytes. */
static inline uint32_t shm_text_bytes(uint32_t length)
{
	return (uint32_t)((sizeof(struct shm_text) + (uint64_t)length + 7) & ~UINT64_C(7));
}

#endif
