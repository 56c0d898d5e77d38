/*
 * Numbers as text, straight to where they belong: for the lines that there are millions of.
 * Each function writes at p and returns where the text ends. It may store up to FMT_SLACK
 * bytes more than the text has, so room for those has to be there (out_reserve gives it).
 */
#ifndef SWT_DECODER_SINK_FMT_H
#define SWT_DECODER_SINK_FMT_H

#include <stdint.h>
#include <string.h>

#include "../../formats/base/time_ns.h"
#include "../../formats/bytes.h"

enum {
	FMT_SLACK = 16,
	FMT_U64 = 20, /* the longest text of each */
	FMT_I64 = 20,
	FMT_SECONDS = 21,
	FMT_WORD = 9,
};

/* Stores a short compile-time text. */
#define fmt_text(p, text) fmt_copy((p), (text), sizeof(text) - 1)

static inline char *fmt_copy(char *p, const char *text, size_t n)
{
	memcpy(p, text, n);
	return p + n;
}

/* Stores a text that is readable for FMT_SLACK bytes beyond its end: avoids a call of memcpy. */
static inline char *fmt_padded(char *p, const char *text, size_t n)
{
	memcpy(p, text, FMT_SLACK);
	for (size_t i = FMT_SLACK; i < n; i += FMT_SLACK)
		memcpy(p + i, text + i, FMT_SLACK);
	return p + n;
}

static inline char *fmt_char(char *p, char c)
{
	*p = c;
	return p + 1;
}

/*
 * The eight digits of v < 100,000,000, the first one in the lowest byte, as numbers 0 to 9:
 * halves, quarters, eighths, all at once. The factors are 1/100 and 1/10, exact for these values.
 */
static inline uint64_t fmt_split8(uint32_t v)
{
	uint64_t halves = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t high = halves * 10486 >> 20 & UINT64_C(0x0000007F0000007F);
	uint64_t quarters = high | (halves - 100 * high) << 16;
	uint64_t tens = quarters * 103 >> 10 & UINT64_C(0x000F000F000F000F);

	return tens | (quarters - 10 * tens) << 8;
}

#define FMT_ZEROS UINT64_C(0x3030303030303030)

static inline void fmt_store8(char *p, uint64_t text)
{
	text = htole64(text);
	memcpy(p, &text, 8);
}

/* Stores v < 100,000,000 with leading zeros. */
static inline char *fmt_8(char *p, uint32_t v)
{
	fmt_store8(p, fmt_split8(v) + FMT_ZEROS);
	return p + 8;
}

/* Stores v < 10,000 with leading zeros. */
static inline char *fmt_4(char *p, uint32_t v)
{
	fmt_store8(p, (fmt_split8(v) + FMT_ZEROS) >> 32);
	return p + 4;
}

/* The number of digits of v < 100,000,000. */
static inline unsigned fmt_width8(uint32_t v)
{
	static const uint32_t power[] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	unsigned n = (32u - (unsigned)__builtin_clz(v | 1)) * 1233 >> 12;

	return n + (v >= power[n]);
}

/* v < 100,000,000. */
static inline char *fmt_short(char *p, uint32_t v)
{
	/* Many are counts of few things. */
	if (v < 10)
		return fmt_char(p, (char)('0' + v));
	unsigned n = fmt_width8(v);

	fmt_store8(p, (fmt_split8(v) + FMT_ZEROS) >> (64 - 8 * n));
	return p + n;
}

enum { FMT_E8 = 100000000 };

/* More than eight digits are nine or ten: no branch on which, it would be mispredicted. */
static inline char *fmt_u32(char *p, uint32_t v)
{
	if (v < FMT_E8)
		return fmt_short(p, v);
	uint32_t high = v / FMT_E8, tens = high * 103 >> 10, one = high < 10;
	uint16_t text = htole16((uint16_t)((0x3030 + tens + ((high - 10 * tens) << 8)) >> 8 * one));
	memcpy(p, &text, 2);
	return fmt_8(p + 2 - one, v % FMT_E8);
}

static inline char *fmt_u64(char *p, uint64_t v)
{
	if (v < FMT_E8)
		return fmt_short(p, (uint32_t)v);
	uint64_t high = v / FMT_E8;
	if (high < FMT_E8) {
		p = fmt_short(p, (uint32_t)high);
	} else {
		p = fmt_short(p, (uint32_t)(high / FMT_E8)); /* at most 1844 */
		p = fmt_8(p, (uint32_t)(high % FMT_E8));
	}
	return fmt_8(p, (uint32_t)(v % FMT_E8));
}

static inline char *fmt_i64(char *p, int64_t v)
{
	*p = '-';
	return fmt_u64(p + (v < 0), v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* Right-aligned to that width (at most 8). */
static inline char *fmt_right(char *p, uint32_t v, unsigned width)
{
	if (v >= FMT_E8)
		return fmt_u32(p, v);
	unsigned n = fmt_width8(v);
	memset(p, ' ', 8);
	return fmt_short(p + (n < width ? width - n : 0), v);
}

/* Stores v < 1,000,000,000 with leading zeros. */
static inline char *fmt_9(char *p, uint32_t v)
{
	p = fmt_8(p, v / 10);
	return fmt_char(p, (char)('0' + v % 10));
}

/* Converts two numbers at once, where the machine supports it. */
typedef uint64_t fmt_pair __attribute__((vector_size(16)));

/* Spreads the eight nibbles of each number to a byte each, as upper-case hexadecimal digits. */
static inline fmt_pair fmt_hex_pair(fmt_pair x)
{
	x = (x & 0xFFFF) << 32 | x >> 16;
	x = (x & 0x000000FF000000FF) << 16 | (x >> 8 & 0x000000FF000000FF);
	x = (x & 0x000F000F000F000F) << 8 | (x >> 4 & 0x000F000F000F000F);
	/* Digits from 10 on are letters, 7 further on: adding 6 carries into the next bit. */
	fmt_pair letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return x + FMT_ZEROS + (letters << 3) - letters;
}

static inline char *fmt_hex8(char *p, uint32_t v)
{
	fmt_pair text = fmt_hex_pair((fmt_pair){v, 0});

	fmt_store8(p, text[0]);
	return p + 8;
}

/* n little-endian words, eight digits each, with spaces between them. */
static inline char *fmt_words(char *p, const uint8_t *words, unsigned n)
{
	for (unsigned i = 0; i < n; i += 2, words += 8, p += 2 * FMT_WORD) {
		uint32_t second = i + 1 < n ? get_le32(words + 4) : 0;
		fmt_pair text = fmt_hex_pair((fmt_pair){get_le32(words), second});

		fmt_store8(p, text[0]);
		p[8] = ' ';
		fmt_store8(p + 9, text[1]);
		p[17] = ' ';
	}
	return n ? p - (n % 2 ? FMT_WORD : 0) - 1 : p;
}

/* Nanoseconds as seconds with nine decimals. */
static inline char *fmt_seconds(char *p, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	*p = '-';
	p = fmt_u64(p + (ns < 0), v / TIME_SECOND_NS);
	return fmt_9(fmt_char(p, '.'), (uint32_t)(v % TIME_SECOND_NS));
}

#endif
