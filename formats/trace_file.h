/*
 * trace.bin, version 1: header, section headers, section payloads.
 * Description: trace-file.md. Little-endian; every offset in bytes.
 */
#ifndef SWT_FORMATS_TRACE_FILE_H
#define SWT_FORMATS_TRACE_FILE_H

#include <stdint.h>
#include <string.h>

#define TF_MAGIC "\x89SWT\r\n\x1a\n"

enum tf_header {
	TF_H_MAGIC = 0,
	TF_H_VERSION_MAJOR = 8,	    /* u16 */
	TF_H_VERSION_MINOR = 10,    /* u16 */
	TF_H_HEADER_SIZE = 12,	    /* u32 */
	TF_H_TRACE_ID = 16,	    /* 16 random bytes */
	TF_H_CPUS = 32,		    /* u32 configured processors */
	TF_H_MAX_RAW = 36,	    /* u32 largest raw section payload */
	TF_H_CLOCK = 40,	    /* u32 enum tf_clock */
	TF_H_FLAGS = 44,	    /* u32 */
	TF_H_TICKS_PER_SECOND = 48, /* u64 */
	TF_H_SYNC = 56,		    /* a clock sync */
	TF_H_RESERVED = 80,
	TF_H_CHECKSUM = 248, /* u64 XXH3-64 of bytes 0-247 */
	TF_HEADER_SIZE = 256,
	TF_VERSION_MAJOR = 1,
	TF_VERSION_MINOR = 0,
	TF_VERSION_MINOR_CAUSES = 1,	 /* of files that have CAUSES, or may get it */
	TF_VERSION_MINOR_UNWRITTEN = 2,	 /* of files whose CAUSES may count unwritten hooks */
	TF_VERSION_MINOR_LABELS = 3,	 /* of files that have LABELS, or may get it */
	TF_VERSION_MINOR_CONTAINERS = 4, /* of files that have CONTAINERS, or may get it */
	TF_VERSION_MINOR_REMARKS = 5,	 /* of files that have REMARKS, or may get it */
	TF_VERSION_MINOR_TASKLOSS = 6,	 /* of files that have TASKLOSS, or may get it */
};

enum tf_clock {
	TF_CLOCK_TSC = 1,
	TF_CLOCK_MONOTONIC_RAW = 2, /* ns */
	TF_CLOCK_ARM_GENERIC = 3,
};

#define TF_FLAG_SCRIPTED 1u /* some counters were scripted, not measured */
#define TF_FLAG_CHECKS 2u   /* section headers have a check byte */

/* A clock sync: ticks, CLOCK_REALTIME ns (signed), CLOCK_MONOTONIC ns. */
enum {
	TF_SYNC_TICKS = 0,
	TF_SYNC_REALTIME = 8,
	TF_SYNC_MONOTONIC = 16,
	TF_SYNC_SIZE = 24,
};

enum tf_section {
	TF_S_MAGIC = 0,	    /* u32 TF_SECTION_MAGIC */
	TF_S_TYPE = 4,	    /* u16 enum tf_type */
	TF_S_CODEC = 6,	    /* u8 enum tf_codec */
	TF_S_CHECK = 7,	    /* u8, see section_check.h */
	TF_S_STORED = 8,    /* u32 stored payload bytes */
	TF_S_RAW = 12,	    /* u32 raw payload bytes */
	TF_S_RING = 16,	    /* u32 CPU number; guest rings from TF_GUEST_RING */
	TF_S_HOOKS = 20,    /* u32 */
	TF_S_POSITION = 24, /* u64 ring position of the first byte */
	TF_S_FIRST = 32,    /* u64 first stamp */
	TF_S_LAST = 40,	    /* u64 last stamp */
	TF_S_LOST = 48,	    /* u32 hooks lost on this ring since the previous section */
	TF_S_TORN = 52,	    /* u32 */
	TF_S_CHECKSUM = 56, /* u64 XXH3-64 of bytes 0-55, then the stored payload */
	TF_SECTION_SIZE = 64,
	TF_ALIGN = 8, /* payloads are padded with zeros to this */
};

#define TF_SECTION_MAGIC 0x53545753u /* "SWTS" */
#define TF_GUEST_RING 0x80000000u

enum tf_type {
	TF_TYPE_HOOKS = 1,
	TF_TYPE_META = 2,
	TF_TYPE_SCHEMA = 3,
	TF_TYPE_TASKS = 4,
	TF_TYPE_CLOCK = 5,
	TF_TYPE_LOSS = 6,
	TF_TYPE_INDEX = 7,
	TF_TYPE_END = 8,
	TF_TYPE_CAUSES = 9,	 /* since version 1.1 */
	TF_TYPE_LABELS = 10,	 /* since version 1.3 */
	TF_TYPE_CONTAINERS = 11, /* since version 1.4 */
	TF_TYPE_REMARKS = 12,	 /* since version 1.5 */
	TF_TYPE_TASKLOSS = 13,	 /* since version 1.6 */
	TF_TYPES,
};

enum tf_codec {
	TF_CODEC_NONE = 0,
	TF_CODEC_LZ4 = 1, /* one LZ4 block */
	TF_CODEC_ZLIB = 2,
};

enum { TF_CODECS = 3 };

/* As options, reports and a drain's configuration name them. */
static const char *const tf_codec_names[TF_CODECS] = {"none", "lz4", "zlib"};

/* META or REMARKS: of the intervals that have not ended, those of the largest period are open. */
#define TF_META_PERIOD "period"

/* META or REMARKS: `alive: TICK TID TID ...`, threads found alive at that tick or later. */
#define TF_META_ALIVE "alive"

/* The codec of that name; TF_CODECS: none. */
static inline unsigned tf_codec_find(const char *name)
{
	unsigned codec = 0;

	while (codec < TF_CODECS && strcmp(name, tf_codec_names[codec]) != 0)
		codec++;
	return codec;
}

/* TASKS: one entry per thread. */
enum {
	TF_TASK_TID = 0,
	TF_TASK_PID = 4,
	TF_TASK_FIRST = 8, /* u64 first tick */
	TF_TASK_NAME = 16, /* char[16] */
	TF_TASK_NAME_SIZE = 16,
	TF_TASK_SIZE = 32,
};

/* LOSS: one entry per ring; the ledger's terms that are not in the sections. */
enum {
	TF_LOSS_RING = 0,
	TF_LOSS_FULL = 8,
	TF_LOSS_BIG = 16,
	TF_LOSS_HELD = 24,
	TF_LOSS_NO_GUEST = 32,
	TF_LOSS_OVERWRITTEN = 40,
	TF_LOSS_TORN = 48,
	TF_LOSS_SKIPPED = 56, /* sections, not hooks */
	TF_LOSS_SIZE = 64,
};

/*
 * CAUSES: one entry per ring; hooks lost for causes without a field in LOSS, whose fields do not
 * count them. As in LOSS, a ring's last entry replaces earlier ones.
 */
enum {
	TF_CAUSES_RING = 0,
	TF_CAUSES_NO_SLOT = 8,	   /* the table of tasks was full */
	TF_CAUSES_NO_MEMORY = 16,  /* a section's pages could not be allocated */
	TF_CAUSES_UNATTACHED = 24, /* the program could not attach until later */
	TF_CAUSES_UNWRITTEN = 32,  /* since 1.2: the drain could not write them, e.g. full disk */
	TF_CAUSES_SIZE = 64,
};

/*
 * LABELS: one entry per label, the next one on a multiple of 8. The section's position is its first
 * entry's offset in the table of labels; an entry's number is its offset / 8 + 1.
 */
enum {
	TF_LABEL_LENGTH = 0, /* u32, 1 to TF_LABEL_MAX; 4 bytes more are ignored */
	TF_LABEL_TEXT = 8,
	TF_LABEL_MAX = 65536,
	TF_LABELS_SECTION_MAX = 256 << 10, /* raw bytes of a section */
};

/*
 * CONTAINERS: one entry per thread of another PID namespace than the session's owner, the next one
 * on a multiple of 8.
 */
enum {
	TF_CONTAINER_TID = 0,	     /* u32, and the first tick: of a thread's entry in TASKS */
	TF_CONTAINER_OWN_TID = 4,    /* u32, of the thread in its PID namespace */
	TF_CONTAINER_OWN_PID = 8,    /* u32 */
	TF_CONTAINER_NAMESPACE = 12, /* u32, the PID namespace's inode; 0: unknown */
	TF_CONTAINER_FIRST = 16,     /* u64 */
	TF_CONTAINER_LENGTH = 24,    /* u32, at most TF_CONTAINER_MAX; 0: the name is unknown */
	TF_CONTAINER_NAME = 28,	     /* of its cgroup */
	TF_CONTAINER_MAX = 256,
};

/* TASKLOSS: one entry per thread that lost hooks. A thread's last entry replaces earlier ones. */
enum {
	TF_TASKLOSS_TID = 0,   /* u32, and the first tick: of its entry in TASKS; 0: all threads */
	TF_TASKLOSS_FIRST = 8, /* u64 */
	TF_TASKLOSS_LOST = 16, /* u64 hooks that it lost since the rings were made */
	TF_TASKLOSS_BEFORE =
		24, /* u64, of these, before the file began: the largest figure applies */
	TF_TASKLOSS_SIZE = 32,
};

/* Set in the thread and process ids that a session gives, not a kernel: to unknown writers, and to
 * tasks of another PID namespace than the owner's. */
#define TF_ID_OF_SESSION 0x80000000u

/* INDEX: u64 file offset, then bytes 16-55 of the section header. */
enum {
	TF_INDEX_OFFSET = 0,
	TF_INDEX_HEADER = 8,
	TF_INDEX_HEADER_FROM = 16,
	TF_INDEX_HEADER_BYTES = 40,
	TF_INDEX_SIZE = 48,
};

#endif
