/*
 * The events of a trace file for which conditions hold: event_conditions FILE CONDITION... For each
 * one a line: the id of each event's first hook, as cpidecode spells it; or "refused: " and why.
 * Sections are raw, and labels have no numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/trace_file.h"
#include "../../libtrace/trigger/condition.h"

static uint8_t *bytes;
static size_t size;

static void read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t room = 1 << 22;

	bytes = calloc(1, room);
	size = f && bytes ? fread(bytes, 1, room, f) : 0;
	if (size < TF_HEADER_SIZE || size == room)
		exit(2);
	fclose(f);
}

static void test_section(const struct condition *c, const uint8_t *header, const uint8_t *records)
{
	const uint32_t n = get_le32(header + TF_S_RAW), ring = get_le32(header + TF_S_RING);
	struct event e;

	for (uint32_t at = 0; at < n; at += e.bytes) {
		event_read(&e, records + at, n - at);
		e.has_cpu = ring < TF_GUEST_RING;
		e.cpu = ring;
		e.is_scripted = get_le32(bytes + TF_H_FLAGS) & TF_FLAG_SCRIPTED;
		/* One tick is a nanosecond, and the first sync at tick 0. */
		e.end_ns = get_le64(bytes + TF_H_SYNC + TF_SYNC_REALTIME) + e.stamp;
		if (e.hooks && condition_holds(c, &e, get_le64(bytes + TF_H_TICKS_PER_SECOND)))
			printf("%c%u.%llu ", e.has_cpu ? 'r' : 'g', ring & ~TF_GUEST_RING,
				(unsigned long long)(get_le64(header + TF_S_POSITION) + at));
	}
}

int main(int argc, char **argv)
{
	struct condition *c = malloc(sizeof *c);
	struct expression_error error;

	read_file(argv[1]);
	for (int i = 2; i < argc; i++) {
		if (condition_parse(c, argv[i], &error) != 0) {
			printf("refused: %s\n", error.text);
			continue;
		}
		for (size_t at = get_le32(bytes + TF_H_HEADER_SIZE);
			at + TF_SECTION_SIZE <= size;) {
			const uint8_t *header = bytes + at;

			if (get_le16(header + TF_S_TYPE) == TF_TYPE_HOOKS)
				test_section(c, header, header + TF_SECTION_SIZE);
			at += TF_SECTION_SIZE +
			      ((get_le32(header + TF_S_STORED) + TF_ALIGN - 1) & ~(TF_ALIGN - 1u));
		}
		puts("");
		condition_free(c);
	}
	free(c);
	free(bytes);
	return 0;
}
