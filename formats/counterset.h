/*
 * A provider's file in /dev/shm: the countersets that a program provides, their instances and
 * values. Native byte order: it never leaves the machine. Description: counterset.md.
 */
#ifndef SWT_FORMATS_COUNTERSET_H
#define SWT_FORMATS_COUNTERSET_H

#include <stddef.h>
#include <stdint.h>

#define PROV_ROOT "/dev/shm"
#define PROV_DIR_PREFIX "swtrace-counters."
#define PROV_DIR_FORMAT PROV_ROOT "/" PROV_DIR_PREFIX "%u" /* owner's uid */
/* A file's name: GUID of the provider, ".", process id and, if that name is in use (by a process of
 * another namespace), ".", 1 to PROV_NAMES. */
enum { PROV_NAMES = 99 };

#define PROV_MAGIC 0x3130564f52505753ull /* "SWPROV01" */
#define PROV_VERSION 1u

enum {
	PROV_LINE = 64,
	PROV_HEADER_BYTES = 32768,
	PROV_BLOCKS = 1020,
	PROV_FILE_MAX = 32 << 20,
	PROV_SETS = 32,		/* of a provider */
	PROV_COUNTERS = 256,	/* of a set */
	PROV_INSTANCES = 65536, /* slots of a set; a single-instance set has 1 */
	PROV_NAME_MAX = 255,	/* bytes of a set's or counter's name: no NUL */
	PROV_HELP_MAX = 1023,
	PROV_INSTANCE_NAME_MAX = 1023,
	PROV_ROOM_SHORT = 48, /* for the name, in a slot */
	PROV_ROOM_LONG = 1072,
};

enum prov_kind {
	PROV_SET = 1,	       /* struct prov_set */
	PROV_INSTANCES_OF = 2, /* slots */
};

/* A part of the file. The entry does not change once `blocks` counts it. */
struct prov_block {
	uint32_t kind;	 /* enum prov_kind */
	uint32_t set;	 /* PROV_SET: its number, from 0 on; slots: the number of their set */
	uint32_t offset; /* in the file, a multiple of PROV_LINE, not before the last one's end */
	uint32_t bytes;	 /* PROV_SET: of the complete set; slots: slots * prov_slot_bytes */
	uint32_t slots;	 /* PROV_SET: 0 */
	uint32_t name_room; /* PROV_SET: 0; slots: PROV_ROOM_ */
	uint64_t reserved;
};

struct prov_header {
	uint64_t magic;
	uint32_t version;
	uint32_t blocks;  /* raised, with release, when a block is complete */
	uint64_t started; /* CLOCK_MONOTONIC ns: orders providers */
	uint8_t guid[16]; /* of the provider, as GUID of perflib.h */
	uint32_t pid;	  /* for information */
	uint32_t reserved0;
	uint64_t reserved1[2];
	char program[64]; /* the provider's name, NUL-terminated */
	struct prov_block block[PROV_BLOCKS];
};

_Static_assert(offsetof(struct prov_header, program) == 64, "layout");
_Static_assert(offsetof(struct prov_header, block) == 128, "layout");
_Static_assert(sizeof(struct prov_block) == 32, "layout");
_Static_assert(sizeof(struct prov_header) == PROV_HEADER_BYTES, "layout");

/* UTF-8 in the same block: not terminated. */
struct prov_text {
	uint32_t offset; /* from the block's start */
	uint32_t bytes;
};

struct prov_counter {
	uint32_t id;	 /* ascending */
	uint32_t type;	 /* PERF_ */
	uint64_t attrib; /* PERF_ATTRIB_ */
	uint32_t detail;
	int32_t scale; /* PROV_SCALE_MIN to _MAX */
	uint32_t base; /* an id, or UINT32_MAX */
	uint32_t aggregate;
	struct prov_text name, help;
};

enum { PROV_SCALE_MIN = -10, PROV_SCALE_MAX = 10 };

/* A counterset: this, the counters, their texts. */
struct prov_set {
	uint8_t guid[16];
	uint32_t type; /* PERF_COUNTERSET_ */
	uint32_t detail;
	uint32_t counters;
	uint32_t reserved0;
	struct prov_text name, help;
	uint64_t reserved1[2];
	struct prov_counter counter[];
};

_Static_assert(sizeof(struct prov_counter) == 48, "layout");
_Static_assert(sizeof(struct prov_set) == 64, "layout");
_Static_assert(offsetof(struct prov_set, counter) == 64, "layout");

enum {
	PROV_SET_MAX = 64 + PROV_NAME_MAX + PROV_HELP_MAX +
		       PROV_COUNTERS * (48 + PROV_NAME_MAX + PROV_HELP_MAX),
};

/*
 * A slot: this, space for the name, then a value of 8 bytes for each counter of the set, in its
 * order (a 32-bit counter's value is modulo 2^32), up to a multiple of PROV_LINE.
 */
struct prov_instance {
	uint64_t state; /* odd: in use; incremented when an instance is created and deleted */
	uint32_t id;
	uint32_t name_bytes;
	char name[];
};

_Static_assert(offsetof(struct prov_instance, name) == 16, "layout");
_Static_assert((16 + PROV_ROOM_SHORT) % PROV_LINE == 0, "values begin on a line");
_Static_assert((16 + PROV_ROOM_LONG) % PROV_LINE == 0, "values begin on a line");
_Static_assert((int)PROV_ROOM_LONG >= (int)PROV_INSTANCE_NAME_MAX, "room for any name");

static inline uint32_t prov_values_offset(uint32_t name_room)
{
	return (uint32_t)offsetof(struct prov_instance, name) + name_room;
}

static inline uint32_t prov_slot_bytes(uint32_t name_room, uint32_t counters)
{
	return (prov_values_offset(name_room) + 8 * counters + PROV_LINE - 1) &
	       ~(uint32_t)(PROV_LINE - 1);
}

#endif
