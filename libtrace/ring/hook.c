/*
 * The public hooks: one record each.
 */
#include "hook.h"

#include <stdarg.h>
#include <stdbool.h>

#include "../../include/perfutil.h"
#include "points.h"
#include "reserve.h"

/* The header's macros test the gate inline and call these. */
#undef TraceHook
#undef TraceHookWords
#undef TraceHookData

static inline bool is_off(UINT32 major)
{
	return __atomic_load_n(&ring_gate_page()->gate[major], __ATOMIC_RELAXED) == 0;
}

/* What is wrong with the arguments, if the major is on: before its first hook a process
 * does not know yet, so it looks now. */
__attribute__((cold)) static int refuse(UINT32 major, int rc)
{
	if (!ring_thread_may_write(&ring_self, major))
		attach_thread(0);
	return is_off(major) ? PU_SUCCESS : rc;
}

int hook_begin(struct hook_writer *w, uint32_t major, uint32_t bytes, uint32_t hooks)
{
	return hook_begin_inline(w, major, bytes, hooks);
}

/*
 * Hooks are short: a call of memcpy would cost more than these few moves, of which the last
 * may overlap the one before. The empty asm keeps the compiler from seeing that it is one.
 */
static inline __attribute__((always_inline)) void copy_words(
	uint8_t *to, const UINT32 *words, UINT32 n)
{
	const uint8_t *from = (const uint8_t *)words;
	size_t bytes = 4 * (size_t)n;

	if (n - 4 <= 4) {
		/* 4 to 8 words, the most there usually are: two moves. */
		uint8_t first[16], last[16];

		memcpy(first, from, 16);
		memcpy(last, from + bytes - 16, 16);
		memcpy(to, first, 16);
		memcpy(to + bytes - 16, last, 16);
	} else if (n > 8) {
		for (size_t i = 0; i + 16 < bytes; i += 16) {
			memcpy(to + i, from + i, 16);
			__asm__("" : "+r"(from));
		}
		memcpy(to + bytes - 16, from + bytes - 16, 16);
	} else {
		if (n & 2)
			memcpy(to, from, 8);
		if (n & 1)
			memcpy(to + bytes - 4, from + bytes - 4, 4);
	}
}

static __attribute__((noinline)) int words_slow(
	UINT32 major, UINT32 minor, UINT32 nwords, const UINT32 *words)
{
	struct hook_writer w;
	int rc;

	if (major > 0xff)
		return PU_ERROR_INVALID_PARAMETER;
	if (is_off(major))
		return PU_SUCCESS;
	if (nwords > REC_MAX_WORDS)
		return refuse(major, PU_ERROR_INVALID_PARAMETER);
	if (!words && nwords)
		return refuse(major, PU_ERR_NULL_PTR);
	rc = hook_begin_slow(&w, major, rec_size(nwords, 0), 1);
	if (rc != HOOK_RESERVED)
		return rc;
	RING_POINT(POINT_RESERVED);
	copy_words(hook_record(&w, (uint8_t)major, minor, nwords, 0, 0), words, nwords);
	RING_POINT(POINT_FILLED);
	hook_commit(&w);
	RING_POINT(POINT_COMMITTED);
	return PU_SUCCESS;
}

int TraceHookWords(UINT32 major, UINT32 minor, UINT32 nwords, const UINT32 *words)
{
	uint64_t size = (REC_HEADER_SIZE + 4 * (uint64_t)nwords + 7) & ~(uint64_t)7;
	struct hook_writer w;

	/* Too many words are too many bytes, for fast (see member.c, longest_fast). */
	if (likely(major <= 0xff) && likely(words != NULL) &&
		likely(hook_begin_fast(&w, major, size))) {
		RING_POINT(POINT_RESERVED);
		/* Thread id and stamp stand there already; major, counts and minor are
		 * neighbours. */
		put_le64(w.first + REC_MAJOR, major | nwords << 16 | (uint64_t)minor << 32);
		if (nwords & 1)
			put_le32(w.first + size - 4, 0);
		copy_words(w.first + REC_DATA, words, nwords);
		w.first_control = (uint32_t)size | REC_KIND_HOOK | REC_COMMITTED;
		RING_POINT(POINT_FILLED);
		hook_commit(&w);
		RING_POINT(POINT_COMMITTED);
		return PU_SUCCESS;
	}
	return words_slow(major, minor, nwords, words);
}

/* Bytes of the strings with their lengths and padding. */
static int strings_size(UINT32 nstrings, const TRACE_STRING *strings, uint64_t *bytes)
{
	*bytes = 0;
	if (!strings && nstrings)
		return PU_ERR_NULL_PTR;
	for (UINT32 i = 0; i < nstrings; i++) {
		if (!strings[i].bytes && strings[i].length)
			return PU_ERR_NULL_PTR;
		*bytes += 4 + (((uint64_t)strings[i].length + 3) & ~(uint64_t)3);
	}
	return PU_SUCCESS;
}

/* Too long a hook has a size too: it is reserved like any other, so that it is counted. */
static uint32_t hook_size(UINT32 nwords, uint64_t string_bytes)
{
	return string_bytes < REC_MAX_SIZE ? rec_size(nwords, (uint32_t)string_bytes) : UINT32_MAX;
}

int TraceHookData(UINT32 major, UINT32 minor, UINT32 nwords, const UINT32 *words, UINT32 nstrings,
	const TRACE_STRING *strings)
{
	struct hook_writer w;
	uint64_t string_bytes;
	uint8_t *p;
	int rc;

	if (major > 0xff)
		return PU_ERROR_INVALID_PARAMETER;
	if (is_off(major))
		return PU_SUCCESS;
	if (nwords > REC_MAX_WORDS || nstrings > REC_MAX_STRINGS)
		return refuse(major, PU_ERROR_INVALID_PARAMETER);
	if (!words && nwords)
		return refuse(major, PU_ERR_NULL_PTR);
	rc = strings_size(nstrings, strings, &string_bytes);
	if (rc)
		return refuse(major, rc);
	rc = hook_begin_inline(&w, major, hook_size(nwords, string_bytes), 1);
	if (rc != HOOK_RESERVED)
		return rc;
	p = hook_record(&w, (uint8_t)major, minor, nwords, nstrings, (uint32_t)string_bytes);
	copy_words(p, words, nwords);
	p += 4 * nwords;
	for (UINT32 i = 0; i < nstrings; i++)
		p = hook_string(p, strings[i].bytes, strings[i].length);
	hook_commit(&w);
	return PU_SUCCESS;
}

static int hook_ints(UINT32 major, UINT32 minor, UINT32 nints, va_list args)
{
	struct hook_writer w;
	int rc = hook_begin_inline(&w, major, rec_size(nints, 0), 1);

	if (rc != HOOK_RESERVED)
		return rc;
	uint8_t *p = hook_record(&w, (uint8_t)major, minor, nints, 0, 0);
	for (UINT32 i = 0; i < nints; i++)
		put_le32(p + 4 * i, va_arg(args, UINT32));
	hook_commit(&w);
	return PU_SUCCESS;
}

/* Looks at the strings first (their lengths make the size), then goes over the arguments
 * again, straight into the ring. */
static int hook_mixed(UINT32 major, UINT32 minor, UINT32 nints, UINT32 nstrings, va_list args)
{
	TRACE_STRING strings[REC_MAX_STRINGS];
	uint64_t string_bytes;
	struct hook_writer w;
	va_list words;
	int rc;

	va_copy(words, args);
	for (UINT32 i = 0; i < nints; i++)
		(void)va_arg(args, UINT32);
	for (UINT32 i = 0; i < nstrings; i++) {
		const char *s = va_arg(args, const char *);
		size_t length = s ? strlen(s) : 1;

		strings[i].bytes = s;
		strings[i].length = length < UINT32_MAX ? (UINT32)length : UINT32_MAX;
	}
	rc = strings_size(nstrings, strings, &string_bytes);
	if (rc != PU_SUCCESS)
		rc = refuse(major, rc);
	else
		rc = hook_begin_inline(&w, major, hook_size(nints, string_bytes), 1);
	if (rc == HOOK_RESERVED) {
		uint8_t *p = hook_record(
			&w, (uint8_t)major, minor, nints, nstrings, (uint32_t)string_bytes);
		for (UINT32 i = 0; i < nints; i++, p += 4)
			put_le32(p, va_arg(words, UINT32));
		for (UINT32 i = 0; i < nstrings; i++)
			p = hook_string(p, strings[i].bytes, strings[i].length);
		hook_commit(&w);
		rc = PU_SUCCESS;
	}
	va_end(words);
	return rc;
}

int TraceHook(UINT32 major, UINT32 minor, INT32 nints, INT32 nstrings, ...)
{
	va_list args;
	int rc;

	if (major > 0xff)
		return PU_ERROR_INVALID_PARAMETER;
	if (is_off(major))
		return PU_SUCCESS;
	if (nints < 0 || nints > REC_MAX_WORDS || nstrings < 0 || nstrings > REC_MAX_STRINGS)
		return refuse(major, PU_ERROR_INVALID_PARAMETER);
	va_start(args, nstrings);
	if (nstrings == 0)
		rc = hook_ints(major, minor, (UINT32)nints, args);
	else
		rc = hook_mixed(major, minor, (UINT32)nints, (UINT32)nstrings, args);
	va_end(args);
	return rc;
}
