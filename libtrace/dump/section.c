#include "section.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <xxhash.h>

#include "../../formats/bytes.h"
#include "../../formats/section_check.h"
#include "../../include/perfutil.h"
#include "../session/fail.h"

int section_writer_open(struct section_writer *w, struct output *out, uint32_t max_raw,
	uint64_t max_hooks, struct session_error *error)
{
	memset(w, 0, sizeof *w);
	w->out = out;
	w->max_raw = max_raw;
	w->index_room = max_hooks;
	w->index = max_hooks ? malloc(max_hooks * TF_INDEX_SIZE) : NULL;
	w->hash = XXH3_createState();
	if (packer_open(&w->packer, max_raw) && w->hash && (w->index || max_hooks == 0))
		return 0;
	section_writer_close(w);
	return session_fail(error, PU_ERROR_NOT_ENOUGH_MEMORY, "not enough memory to write a dump");
}

void section_writer_close(struct section_writer *w)
{
	packer_close(&w->packer);
	free(w->index);
	XXH3_freeState(w->hash);
	w->index = NULL;
	w->hash = NULL;
}

static void section_remember_header(struct section_writer *w, const uint8_t *header)
{
	if (w->indexed == w->index_room)
		return;
	uint8_t *entry = w->index + w->indexed * TF_INDEX_SIZE;

	put_le64(entry + TF_INDEX_OFFSET, w->out->written);
	memcpy(entry + TF_INDEX_HEADER, header + TF_INDEX_HEADER_FROM, TF_INDEX_HEADER_BYTES);
	w->indexed++;
}

int section_write_packed(struct section_writer *w, const struct section *s, const uint8_t *packed,
	uint32_t packed_size, struct session_error *error)
{
	static const uint8_t zeros[TF_ALIGN];
	struct tf_section_header head = s->head;
	uint8_t header[TF_SECTION_SIZE];
	const void *stored = packed_size ? packed : s->payload;

	if (head.raw > w->max_raw)
		return session_fail(error, PU_ERROR_INTERNAL_ERROR,
			"a section of %u bytes is larger than the header says", head.raw);
	head.codec = packed_size ? head.codec : TF_CODEC_NONE;
	head.stored = packed_size ? packed_size : head.raw;
	tf_section_fill(header, &head);
	header[TF_S_CHECK] = tf_section_check(w->trace_id, header);
	put_le64(header + TF_S_CHECKSUM, tf_section_checksum(w->hash, header, stored, head.stored));
	if (head.type == TF_TYPE_HOOKS)
		section_remember_header(w, header);

	/* One call: a killed writer truncates at most one section. */
	struct iovec parts[] = {{.iov_base = header, .iov_len = sizeof header},
		{.iov_base = (void *)stored, .iov_len = head.stored},
		{.iov_base = (void *)zeros, .iov_len = -head.stored & (TF_ALIGN - 1)}};
	return output_writev(w->out, parts, sizeof parts / sizeof *parts, error);
}

int section_write(struct section_writer *w, const struct section *s, struct session_error *error)
{
	const struct tf_section_header *head = &s->head;
	uint32_t size = packer_pack(
		&w->packer, head->codec, head->type == TF_TYPE_HOOKS, s->payload, head->raw);

	return section_write_packed(w, s, w->packer.bytes, size, error);
}

int section_write_index(struct section_writer *w, enum tf_codec codec, struct session_error *error)
{
	struct section s = {.head = {.type = TF_TYPE_INDEX,
				    .codec = codec,
				    .raw = (uint32_t)(w->indexed * TF_INDEX_SIZE)},
		.payload = w->index};

	return w->indexed ? section_write(w, &s, error) : 0;
}
