#include "parts.h"

#include <stdbool.h>
#include <string.h>

#include "../../../include/perfutil.h"
#include "../../ring/hook.h"

static void write_label(struct hook_writer *w, const struct parts_frame *frame, uint32_t minor,
	uint64_t elapsed, uint32_t length)
{
	uint8_t *p = hook_record(w, frame->major, minor, 2, 1, rec_string_bytes(length));

	put_hl64(p, elapsed);
	hook_string(p + 8, frame->label, length);
}

static void parts_write_part(struct hook_writer *w, const struct part *part, uint64_t elapsed)
{
	uint8_t *p = hook_record(w, part->major, part->minor, part->nwords, 0, 0);

	memcpy(p, part->words, 4 * (size_t)part->nwords);
	put_hl64(p + 4 * part->elapsed, elapsed);
}

/* A group too large for a section has a size, too: reserving it fails, and is counted. */
static uint32_t parts_group_bytes(const struct parts *p, bool labelled, size_t length)
{
	uint32_t bytes = 0;

	if (length >= REC_MAX_SIZE / 2)
		return UINT32_MAX;
	for (uint32_t i = 0; i < p->count; i++)
		bytes += rec_size(p->part[i].nwords, 0);
	if (labelled)
		bytes += 2 * rec_size(2, rec_string_bytes((uint32_t)length));
	return bytes <= REC_MAX_SIZE ? bytes : UINT32_MAX;
}

int parts_write(const struct parts *p, const struct parts_frame *frame, uint64_t *elapsed)
{
	size_t length = frame->label ? strlen(frame->label) : 0;
	uint32_t hooks = p->count + (frame->label ? 2 : 0);
	uint32_t i = 0;
	struct hook_writer w;
	int rc = hook_begin(
		&w, frame->major, parts_group_bytes(p, frame->label != NULL, length), hooks);

	if (rc != HOOK_RESERVED)
		return rc;
	*elapsed = w.stamp > frame->start_ticks ? w.stamp - frame->start_ticks : 0;
	if (frame->label)
		write_label(&w, frame, frame->label_start, *elapsed, (uint32_t)length);
	for (; i < p->count && p->part[i].major == frame->major; i++)
		parts_write_part(&w, &p->part[i], *elapsed);
	if (frame->label)
		write_label(&w, frame, frame->label_end, *elapsed, (uint32_t)length);
	for (; i < p->count; i++)
		parts_write_part(&w, &p->part[i], *elapsed);
	hook_commit(&w);
	return PU_SUCCESS;
}
