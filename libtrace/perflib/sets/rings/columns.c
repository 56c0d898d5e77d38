#include "rings.h"
#include "../sets.h"

#define WORD(column, title, text)                                                                  \
	DEFINE(column, column, PERF_COUNTER_RAWCOUNT, 0, PERF_DETAIL_ADVANCED, PERF_NO_COUNTER,    \
		PERF_AGGREGATE_MAX, title, text)

static const struct counter_definition counters[RINGS_COLUMNS] = {
	RATE(RINGS_ATTEMPTED_RATE, "Hooks Attempted/sec", "Hooks written or lost."),
	RATE(RINGS_WRITTEN_RATE, "Hooks Written/sec", "Hooks written to the ring."),
	RATE(RINGS_LOST_RATE, "Hooks Lost/sec", "Hooks lost, all causes together."),
	RATE(RINGS_BYTES_RATE, "Bytes/sec", "Bytes by which the ring's position advanced."),
	COUNT(RINGS_ATTEMPTED, "Hooks Attempted",
		"Hooks written, torn or lost since the ring was last discarded."),
	COUNT(RINGS_WRITTEN, "Hooks Written",
		"Hooks written to the ring, including overwritten and drained ones."),
	COUNT(RINGS_HELD, "Hooks in Buffer", "Hooks that a dump would find now."),
	COUNT(RINGS_BYTES, "Bytes in Buffer", "Bytes that a dump would find now."),
	COUNT(RINGS_LOST_FULL, "Hooks Lost: Buffer Full", "Hooks lost because the ring was full."),
	COUNT(RINGS_LOST_BIG, "Hooks Lost: Too Big",
		"Hooks lost because they were larger than a section."),
	COUNT(RINGS_LOST_HELD, "Hooks Lost: Buffer Held",
		"Hooks lost because other writers had not finished the next section."),
	COUNT(RINGS_LOST_NO_GUEST, "Hooks Lost: No Guest Ring",
		"Hooks lost because every guest ring was in use."),
	COUNT(RINGS_OVERWRITTEN, "Hooks Overwritten", "Hooks overwritten by newer ones."),
	COUNT(RINGS_TORN, "Hooks Torn", "Hooks begun but not finished."),
	COUNT(RINGS_DRAINED, "Hooks Drained", "Hooks drained to the file, in continuous mode."),
	COUNT(RINGS_SKIPPED, "Sections Skipped",
		"Sections skipped because other writers held them."),
	COUNT(RINGS_POSITION, "Position",
		"Bytes written since the ring was created, including padding."),
	COUNT(RINGS_SIZE, "Size", "Size of the ring, in bytes."),
	WORD(RINGS_STATE, "State", "Tracing is 1 off, 2 on, 3 suspended."),
	WORD(RINGS_DAMAGED, "Damaged", "1: the ring's content is invalid."),
	COUNT(RINGS_LOST_NO_SLOT, "Hooks Lost: No Task Slot",
		"Hooks lost because the table of tasks was full."),
	COUNT(RINGS_LOST_NO_MEMORY, "Hooks Lost: No Memory",
		"Hooks lost because a section's memory could not be allocated."),
	COUNT(RINGS_LOST_UNATTACHED, "Hooks Lost: Not Attached",
		"Hooks lost before their program could attach."),
};

const struct counterset_definition rings_definition = {
	.guid = {0x9b3f0d64, 0x51a7, 0x4e2c, {0xa8, 0x1d, 0x73, 0xc6, 0x0e, 0xf2, 0x95, 0x48}},
	.name = "SWTRACE Rings",
	.help = "The rings of the session that this user traces in: hooks, bytes, and losses by cause.",
	SETS_DEFINITION,
	.ncounters = RINGS_COLUMNS,
};
