/* Payloads of every codec: hostile ones, and packed ones, which must unpack to the original. */
#include <lz4.h>
#include <zlib.h>

#include "../../decoder/io/codec.h"
#include "../lib/trace_build.h"
#include "fuzz.h"

/* Loads the payload by a matching header: 0 and *raw filled, or io_load's code. */
static int load(struct io_section *s, const uint8_t *payload, struct io_buffer *raw)
{
	struct bytes file = {0};
	struct io_buffer scratch = {0};
	struct io_input *in;
	const char *why = NULL;

	s->checked = true; /* another target tests checksums */
	bytes_put(&file, NULL, TF_SECTION_SIZE);
	bytes_put(&file, payload, s->stored);
	uint8_t *exact = exact_copy(file.p, file.n);
	PROMISE(!io_open_memory(exact, file.n, &in), "memory");
	int rc = io_load(in, s, raw, &scratch, &why);
	PROMISE(rc <= 1 && (rc != 1 || why), "code %d", rc);
	io_close(in);
	io_buffer_free(&scratch);
	bytes_free(&file);
	free(exact);
	return rc;
}

static void unpack_hostile(struct io_section *s, const uint8_t *p, size_t n)
{
	struct io_buffer raw = {0};

	s->stored = (uint32_t)n;
	if (!codec_check(s)) {
		/* The claimed size is in proportion to the input's. */
		PROMISE(s->raw <= 1032 * (uint64_t)n + 64, "%u of %zu", s->raw, n);
		if (!load(s, p, &raw) && s->raw)
			PROMISE(raw.cap >= s->raw, "a buffer of %zu", raw.cap);
	}
	io_buffer_free(&raw);
}

static void round_trip(uint8_t codec, const uint8_t *p, size_t n)
{
	struct bytes packed = {0};
	struct io_buffer raw = {0};
	uLongf length = compressBound(n) + (uLongf)LZ4_compressBound((int)n);

	bytes_put(&packed, NULL, length);
	length = pack_payload(codec, 6, p, n, packed.p, length);
	PROMISE(length, "not packed");
	struct io_section s = {.type = TF_TYPE_HOOKS,
		.codec = codec,
		.stored = (uint32_t)length,
		.raw = (uint32_t)n};
	const char *wrong = codec_check(&s);
	PROMISE(!wrong, "%s", wrong);
	PROMISE(!load(&s, packed.p, &raw), "packed bytes do not unpack");
	PROMISE(!n || memcmp(raw.p, p, n) == 0, "other bytes");
	io_buffer_free(&raw);
	bytes_free(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed in = {data, size};
	uint8_t kind = feed_u8(&in);
	struct io_section s = {.type = TF_TYPE_HOOKS, .codec = kind % 4};

	if (kind & 0x80 && s.codec >= TF_CODEC_LZ4 && s.codec <= TF_CODEC_ZLIB) {
		round_trip(s.codec, in.p, in.n);
		return 0;
	}
	/* At most 64 MiB: larger claims would leave no time for other inputs. */
	s.raw = kind & 0x40 ? feed_u32(&in) % (64 << 20) : feed_u16(&in);
	unpack_hostile(&s, in.p, in.n);
	return 0;
}
