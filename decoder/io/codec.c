/* Loads a section: reads it again, verifies it, unpacks it to exactly the size in its header. */
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>
#ifdef CPIDECODE_XXH_DISPATCH
#include <xxh_x86dispatch.h> /* XXH3_64bits then uses the widest registers available */
#endif

#include "../../formats/bytes.h"
#include "../../formats/trace_file.h"
#include "../../include/cpidecode.h"
#include "codec.h"

/* The largest size that a codec can unpack that many stored bytes to. */
static uint64_t most_raw(uint8_t codec, uint64_t stored)
{
	/* A byte of LZ4 lengthens a match by 255 at most; deflate reaches 1032 to 1. */
	return codec == TF_CODEC_LZ4 ? 255 * stored + 64 : 1032 * stored + 64;
}

/* The largest packed size of that many incompressible bytes. */
static uint64_t most_stored(uint64_t raw)
{
	return raw ? raw + raw / 8 + 1024 : 16;
}

const char *codec_check(const struct io_section *s)
{
	/* INDEX, END and unknown sections are skipped, never unpacked. */
	if (s->type < TF_TYPE_HOOKS || s->type > TF_TYPE_LOSS)
		return NULL;
	if (s->codec > TF_CODEC_ZLIB)
		return "packed with a codec that this reader does not know";
	/* The header's "largest raw payload" is a hint for buffers; sections are not checked
	 * against it. */
	if (s->raw > IO_MAX_RAW)
		return "a section says that it is larger than 256 MiB";
	if (s->codec == TF_CODEC_NONE)
		return s->raw == s->stored ? NULL : "a section's two sizes differ";
	if (s->raw > most_raw(s->codec, s->stored) || s->stored > most_stored(s->raw))
		return "a section's packed size cannot give its unpacked size";
	return NULL;
}

/* Buffers keep room for a section's header in front of their bytes. */
static int codec_reserve_buffer(struct io_buffer *b, size_t n)
{
	if (b->p && n <= b->cap)
		return 0;
	io_buffer_free(b);
	uint8_t *whole = malloc(TF_SECTION_SIZE + n);
	if (!whole)
		return CPIDECODE_ENOMEM;
	b->p = whole + TF_SECTION_SIZE;
	b->cap = n;
	return 0;
}

void io_buffer_free(struct io_buffer *b)
{
	if (b->p)
		free(b->p - TF_SECTION_SIZE);
	b->p = NULL;
	b->cap = 0;
}

/* 0, ENOMEM, or 1: the bytes do not unpack to the promised size. */
static int codec_inflate(const uint8_t *from, uint32_t stored, uint8_t *to, uint32_t raw)
{
	z_stream z = {.next_in = (Bytef *)from, .avail_in = stored};

	if (inflateInit(&z) != Z_OK)
		return CPIDECODE_ENOMEM;
	z.next_out = to;
	z.avail_out = raw;
	int rc = inflate(&z, Z_FINISH);
	bool exact = rc == Z_STREAM_END && z.total_out == raw;
	inflateEnd(&z);
	return exact ? 0 : rc == Z_MEM_ERROR ? CPIDECODE_ENOMEM : 1;
}

static int codec_unpack_section(const struct io_section *s, const uint8_t *from, uint8_t *to)
{
	if (s->codec == TF_CODEC_ZLIB)
		return codec_inflate(from, s->stored, to, s->raw);
	int n = LZ4_decompress_safe((const char *)from, (char *)to, (int)s->stored, (int)s->raw);
	return n >= 0 && (uint32_t)n == s->raw ? 0 : 1;
}

#ifdef CPIDECODE_XXH_DISPATCH
/*
 * Clears the upper halves of the wide registers, which libxxhash leaves dirty. Otherwise SSE
 * instructions suffer transition penalties: formatting numbers is half as fast.
 */
__attribute__((target("avx"))) static void forget_wide_registers(void)
{
	__builtin_ia32_vzeroupper();
}

static uint64_t checksum_of(const void *p, size_t n)
{
	uint64_t sum = XXH3_64bits(p, n);

	if (__builtin_cpu_supports("avx"))
		forget_wide_registers();
	return sum;
}
#else
static uint64_t checksum_of(const void *p, size_t n)
{
	return XXH3_64bits(p, n);
}
#endif

/*
 * Whether header and payload match, and the header is the one that s was read from. Moves the
 * hashed bytes together, over the checksum: one call of the hash is faster than two.
 */
static int codec_verify_payload(const struct io_section *s, uint8_t *payload, const char **why)
{
	uint8_t *head = payload - TF_SECTION_SIZE, *from = payload - TF_S_CHECKSUM;
	bool same = get_le32(head + TF_S_STORED) == s->stored &&
		    get_le32(head + TF_S_RAW) == s->raw && head[TF_S_CODEC] == s->codec;
	uint64_t checksum = get_le64(head + TF_S_CHECKSUM);

	memmove(from, head, TF_S_CHECKSUM);
	if (checksum_of(from, TF_S_CHECKSUM + (size_t)s->stored) != checksum)
		*why = io_bad_checksum;
	else if (!same)
		*why = "the file changed while it was read";
	else
		return 0;
	return 1;
}

_Static_assert(TF_S_CHECKSUM + 8 == TF_SECTION_SIZE, "the checksum is the header's end");

const char io_bad_checksum[] = "a section's checksum does not hold";

int io_load(const struct io_input *in, const struct io_section *s, struct io_buffer *raw,
	struct io_buffer *scratch, const char **why)
{
	bool packed = s->codec != TF_CODEC_NONE;

	if (s->raw == 0 && s->checked)
		return 0;
	int rc = codec_reserve_buffer(raw, s->raw);
	if (!rc && packed)
		rc = codec_reserve_buffer(scratch, s->stored);
	if (rc)
		return rc;
	uint8_t *to = packed ? scratch->p : raw->p;
	size_t got;
	rc = io_read(
		in, s->offset, to - TF_SECTION_SIZE, TF_SECTION_SIZE + (size_t)s->stored, &got);
	if (rc)
		return rc;
	if (got < TF_SECTION_SIZE + (size_t)s->stored) {
		*why = "the file became shorter while it was read";
		return 1;
	}
	if (!s->checked)
		rc = codec_verify_payload(s, to, why);
	if (rc || !packed)
		return rc;
	rc = codec_unpack_section(s, scratch->p, raw->p);
	if (rc > 0)
		*why = "a section's payload does not unpack to the size it says";
	return rc;
}
