/*
 * A CTF 1.8 trace: a folder (folder.h) with a file of text, metadata, and one of packets for each
 * stream.
 *
 * Functions that return int return as those of the folder.
 */
#ifndef SWT_DECODER_SINK_CTF_H
#define SWT_DECODER_SINK_CTF_H

#include "../../formats/bytes.h"
#include "folder.h"

/* Replaces the contents of one file. */
int ctf_write_metadata(struct folder *f, const struct out *text);
int ctf_append(struct folder *f, unsigned stream, const struct out *packet);

/* Values of a packet, of one byte's alignment. Failures show in o->error. */
static inline void ctf_u8(struct out *o, uint8_t v)
{
	out_bytes(o, &v, sizeof v);
}

static inline void ctf_u32(struct out *o, uint32_t v)
{
	uint8_t bytes[4];

	put_le32(bytes, v);
	out_bytes(o, bytes, sizeof bytes);
}

static inline void ctf_u64(struct out *o, uint64_t v)
{
	uint8_t bytes[8];

	put_le64(bytes, v);
	out_bytes(o, bytes, sizeof bytes);
}

static inline void ctf_double(struct out *o, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	ctf_u64(o, bits);
}

/* Up to a NUL, which ends a string. False: there is one in it. */
static inline bool ctf_string(struct out *o, const char *s, size_t n)
{
	const char *nul = n ? memchr(s, 0, n) : NULL;

	out_bytes(o, s, nul ? (size_t)(nul - s) : n);
	ctf_u8(o, 0);
	return !nul;
}

/*
 * The inside of a quoted text of metadata, in a stream in memory. Readers know different escapes: a
 * quote or backslash becomes an apostrophe, a control character a blank.
 */
void ctf_quote(struct out *o, const char *s, size_t n);
/* The same bytes as part of an identifier: what cannot be in one becomes '_'. */
void ctf_identifier(struct out *o, const char *s, size_t n);

#endif
