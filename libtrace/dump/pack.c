#include "pack.h"

#include <lz4.h>
#include <stdlib.h>
#include <zlib.h>

#include "pack_records.h"

enum {
	RECORDS_MIN = 4096, /* bytes; below, LZ4's own compressor is fast enough */
	/* At this interval of sections both compressors try: less than 2 % of the time. */
	TRIED_EVERY = 128,
	/* A search must save one byte in so many: its blocks take longer to pack and to unpack. */
	WORTHWHILE = 3,
};

bool packer_open(struct packer *p, uint32_t max_raw)
{
	*p = (struct packer){.room = max_raw ? max_raw : 1};
	p->bytes = malloc(p->room);
	return p->bytes != NULL;
}

void packer_close(struct packer *p)
{
	free(p->bytes);
	p->bytes = NULL;
}

static uint32_t pack_lz4(struct packer *p, const void *payload, uint32_t raw)
{
	return (uint32_t)LZ4_compress_default(payload, (char *)p->bytes, (int)raw, (int)raw - 1);
}

static uint32_t pack_records(struct packer *p, const void *payload, uint32_t raw)
{
	if (p->sections++ % TRIED_EVERY == 0) {
		uint32_t fast = pack_records_lz4(payload, raw, p->bytes, raw - 1);
		uint32_t searched = pack_lz4(p, payload, raw);

		p->searches = searched && (fast == 0 || searched < fast - fast / WORTHWHILE);
	}
	return p->searches ? pack_lz4(p, payload, raw)
			   : pack_records_lz4(payload, raw, p->bytes, raw - 1);
}

static uint32_t pack_zlib(struct packer *p, const void *payload, uint32_t raw)
{
	uLongf size = raw - 1;

	if (compress2(p->bytes, &size, payload, raw, Z_DEFAULT_COMPRESSION) != Z_OK)
		return 0;
	return (uint32_t)size;
}

uint32_t packer_pack(
	struct packer *p, enum tf_codec codec, bool records, const void *payload, uint32_t raw)
{
	if (raw < 2 || raw > INT32_MAX || raw > p->room)
		return 0;
	if (codec == TF_CODEC_LZ4)
		return records && raw >= RECORDS_MIN ? pack_records(p, payload, raw)
						     : pack_lz4(p, payload, raw);
	return codec == TF_CODEC_ZLIB ? pack_zlib(p, payload, raw) : 0;
}
