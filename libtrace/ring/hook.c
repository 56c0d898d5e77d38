/*
 * The public hooks: one record each.
 *
 * The caller's data is read before the reservation, by copying or by touching its pages: a
 * fault there leaves no record uncommitted, whatever the program's handler does. All of it uses at
 * most 1.5 KiB of stack, as for a handler on a small alternate one.
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

/* The error of invalid arguments, if the major is on. Before its first hook a process does not
 * know that yet, so it attaches now. */
__attribute__((cold)) static int hook_refuse(UINT32 major, int rc)
{
	if (!ring_thread_may_write(&ring_self, major))
		attach_thread(0);
	return is_off(major) ? PU_SUCCESS : rc;
}

int hook_begin(struct hook_writer *w, uint32_t major, uint32_t bytes, uint32_t hooks)
{
	return hook_begin_inline(w, major, bytes, hooks);
}

int hook_begin_at(struct hook_writer *w, uint32_t major, uint32_t bytes, uint32_t hooks,
	const struct hook_time *at)
{
	if (likely(hook_begin_fast_at(w, major, bytes, at)))
		return HOOK_RESERVED;
	return hook_begin_slow(w, major, bytes, hooks, at);
}

/* Touches a byte of each page. */
static void hook_touch_pages(const void *data, size_t bytes)
{
	const volatile uint8_t *p = data;

	for (size_t i = 0; i < bytes; i += SHM_PAGE)
		(void)p[i];
	if (bytes)
		(void)p[bytes - 1];
}

/* Copies up to 8 words, the usual maximum, inline: two overlapping moves each. */
struct few_words {
	uint8_t first[16], last[16];
};

enum { FEW_WORDS = 8 };

static inline __attribute__((always_inline)) void load_few(
	struct few_words *few, const uint8_t *from, UINT32 n)
{
	if (n >= 4) {
		memcpy(few->first, from, 16);
		memcpy(few->last, from + 4 * n - 16, 16);
	} else {
		if (n & 2)
			memcpy(few->first, from, 8);
		if (n & 1)
			memcpy(few->last, from + 4 * n - 4, 4);
	}
}

static inline __attribute__((always_inline)) void store_few(
	uint8_t *to, const struct few_words *few, UINT32 n)
{
	if (n >= 4) {
		memcpy(to, few->first, 16);
		memcpy(to + 4 * n - 16, few->last, 16);
	} else {
		if (n & 2)
			memcpy(to, few->first, 8);
		if (n & 1)
			memcpy(to + 4 * n - 4, few->last, 4);
	}
}

/* Copies more words. The empty asm keeps the compiler from turning the loop into a call of
 * memcpy, which would cost more. */
static inline __attribute__((always_inline)) void copy_many(
	uint8_t *to, const uint8_t *from, UINT32 n)
{
	size_t bytes = 4 * (size_t)n;

	for (size_t i = 0; i + 16 < bytes; i += 16) {
		memcpy(to + i, from + i, 16);
		__asm__("" : "+r"(from));
	}
	memcpy(to + bytes - 16, from + bytes - 16, 16);
}

/*
 * Before the caller's data is read: attaches, and skips data too long to be written. Returns the
 * size to reserve: a hook that is too long is reserved like any other, so that it is counted. 0:
 * the hook is not wanted.
 */
static uint64_t ready_size(UINT32 major, uint64_t size)
{
	/* If it fails, hook_begin_slow counts the hook under its cause. */
	if (!ring_thread_may_write(&ring_self, major))
		attach_thread(0);
	if (is_off(major))
		return 0;
	const struct ring_map *map = __atomic_load_n(&ring_self.map, __ATOMIC_RELAXED);

	return !map || size <= map->geometry.section_size ? size : UINT64_MAX;
}

static __attribute__((noinline)) int words_slow(
	UINT32 major, UINT32 minor, UINT32 nwords, const UINT32 *words)
{
	struct few_words few;
	struct hook_writer w;
	uint64_t size;
	uint8_t *p;
	int rc;

	if (major > 0xff)
		return PU_ERROR_INVALID_PARAMETER;
	if (is_off(major))
		return PU_SUCCESS;
	if (nwords > REC_MAX_WORDS)
		return hook_refuse(major, PU_ERROR_INVALID_PARAMETER);
	if (!words && nwords)
		return hook_refuse(major, PU_ERR_NULL_PTR);
	size = ready_size(major, rec_size(nwords, 0));
	if (size == 0)
		return PU_SUCCESS;
	if (nwords <= FEW_WORDS)
		load_few(&few, (const uint8_t *)words, nwords);
	else if (size != UINT64_MAX)
		hook_touch_pages(words, 4 * (size_t)nwords);
	rc = hook_begin_slow(&w, major, size, 1, NULL);
	if (rc != HOOK_RESERVED)
		return rc;
	RING_POINT(POINT_RESERVED);
	p = hook_record(&w, (uint8_t)major, minor, nwords, 0, 0);
	if (nwords <= FEW_WORDS)
		store_few(p, &few, nwords);
	else
		copy_many(p, (const uint8_t *)words, nwords);
	RING_POINT(POINT_FILLED);
	hook_commit(&w);
	RING_POINT(POINT_COMMITTED);
	return PU_SUCCESS;
}

int TraceHookWords(UINT32 major, UINT32 minor, UINT32 nwords, const UINT32 *words)
{
	uint64_t size = (REC_HEADER_SIZE + 4 * (uint64_t)nwords + 7) & ~(uint64_t)7;
	const struct ring_thread *self = &ring_self;
	struct few_words few;
	struct hook_writer w;

	/* `longest` also bounds the words on the fast path (see member.c, longest_fast). */
	if (unlikely(major > 0xff) || unlikely(!words) || unlikely(size > self->longest) ||
		unlikely(__atomic_load_n(&ring_gate_page()->gate[major], __ATOMIC_RELAXED) !=
			 self->generation))
		return words_slow(major, minor, nwords, words);
	if (likely(nwords <= FEW_WORDS))
		load_few(&few, (const uint8_t *)words, nwords);
	else
		hook_touch_pages(words, 4 * (size_t)nwords);
	if (unlikely(!hook_begin_fast(&w, major, size)))
		return words_slow(major, minor, nwords, words);
	RING_POINT(POINT_RESERVED);
	/* The reservation stored thread id and stamp; major, counts and minor are adjacent. */
	put_le64(w.first + REC_MAJOR, major | nwords << 16 | (uint64_t)minor << 32);
	if (nwords & 1)
		put_le32(w.first + size - 4, 0);
	if (likely(nwords <= FEW_WORDS))
		store_few(w.first + REC_DATA, &few, nwords);
	else
		copy_many(w.first + REC_DATA, (const uint8_t *)words, nwords);
	w.first_control = (uint32_t)size | REC_KIND_HOOK | REC_COMMITTED;
	RING_POINT(POINT_FILLED);
	hook_commit(&w);
	RING_POINT(POINT_COMMITTED);
	return PU_SUCCESS;
}

/* ------------------------------------------------------------------- strings */

static void touch_all(
	UINT32 nwords, const UINT32 *words, UINT32 nstrings, const TRACE_STRING *strings)
{
	hook_touch_pages(words, 4 * (size_t)nwords);
	for (UINT32 i = 0; i < nstrings; i++)
		hook_touch_pages(strings[i].bytes, strings[i].length);
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
		*bytes += rec_any_string_bytes(strings[i].length);
	}
	return PU_SUCCESS;
}

static uint64_t hook_size(UINT32 nwords, uint64_t string_bytes)
{
	return string_bytes < REC_MAX_SIZE ? rec_size(nwords, (uint32_t)string_bytes) : UINT64_MAX;
}

/*
 * Stores a string in the rest of its record up to `end`, before `more` others. Another thread
 * may have changed the string since its length was counted: the store stays within the
 * reservation, and the last string fills it.
 */
static uint8_t *put_string(
	uint8_t *p, uint8_t *end, UINT32 more, const void *bytes, uint32_t length)
{
	uint32_t room = (uint32_t)(end - p) - 4 - 4 * more;
	uint8_t *next;

	next = hook_string(p, bytes, length < room ? length : room);
	if (unlikely(more == 0 && next != end)) {
		put_le32(p, room);
		memset(next, 0, (size_t)(end - next));
	}
	return next;
}

int TraceHookData(UINT32 major, UINT32 minor, UINT32 nwords, const UINT32 *words, UINT32 nstrings,
	const TRACE_STRING *strings)
{
	struct hook_writer w;
	uint64_t string_bytes, size;
	uint8_t *p, *end;
	int rc;

	if (major > 0xff)
		return PU_ERROR_INVALID_PARAMETER;
	if (is_off(major))
		return PU_SUCCESS;
	if (nwords > REC_MAX_WORDS || nstrings > REC_MAX_STRINGS)
		return hook_refuse(major, PU_ERROR_INVALID_PARAMETER);
	if (!words && nwords)
		return hook_refuse(major, PU_ERR_NULL_PTR);
	rc = strings_size(nstrings, strings, &string_bytes);
	if (rc)
		return hook_refuse(major, rc);
	size = ready_size(major, hook_size(nwords, string_bytes));
	if (size == 0)
		return PU_SUCCESS;
	if (size != UINT64_MAX)
		touch_all(nwords, words, nstrings, strings);
	rc = hook_begin_inline(&w, major, size, 1);
	if (rc != HOOK_RESERVED)
		return rc;
	p = hook_record(&w, (uint8_t)major, minor, nwords, nstrings, (uint32_t)string_bytes);
	if (nwords)
		memcpy(p, words, 4 * (size_t)nwords);
	p += 4 * (size_t)nwords;
	end = p + string_bytes;
	for (UINT32 i = 0; i < nstrings; i++)
		p = put_string(p, end, nstrings - 1 - i, strings[i].bytes, strings[i].length);
	hook_commit(&w);
	return PU_SUCCESS;
}

/* ------------------------------------------------------------------ variadic */

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

/* Bytes of the strings among the arguments; reads all of them. 0: one is NULL. */
static uint64_t arguments_size(UINT32 nints, UINT32 nstrings, va_list args)
{
	uint64_t bytes = 0;

	for (UINT32 i = 0; i < nints; i++)
		(void)va_arg(args, UINT32);
	for (UINT32 i = 0; i < nstrings; i++) {
		const char *s = va_arg(args, const char *);

		if (!s)
			return 0;
		bytes += rec_any_string_bytes(strlen(s));
	}
	return bytes;
}

/* Walks the arguments twice, for the size and then straight into the ring: storing the lengths
 * would use a kilobyte of stack. */
static int hook_mixed(UINT32 major, UINT32 minor, UINT32 nints, UINT32 nstrings, va_list args)
{
	uint64_t string_bytes;
	struct hook_writer w;
	uint8_t *p, *end;
	va_list again;
	int rc;

	va_copy(again, args);
	string_bytes = arguments_size(nints, nstrings, args);
	if (string_bytes == 0)
		rc = hook_refuse(major, PU_ERR_NULL_PTR);
	else
		rc = hook_begin_inline(&w, major, hook_size(nints, string_bytes), 1);
	if (rc == HOOK_RESERVED) {
		p = hook_record(&w, (uint8_t)major, minor, nints, nstrings, (uint32_t)string_bytes);
		for (UINT32 i = 0; i < nints; i++, p += 4)
			put_le32(p, va_arg(again, UINT32));
		end = p + string_bytes;
		for (UINT32 i = 0; i < nstrings; i++) {
			const char *s = va_arg(again, const char *);

			/* Stays within the reservation: another thread may be writing beyond it. */
			p = put_string(p, end, nstrings - 1 - i, s,
				(uint32_t)strnlen(s, (size_t)(end - p)));
		}
		hook_commit(&w);
		rc = PU_SUCCESS;
	}
	va_end(again);
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
		return hook_refuse(major, PU_ERROR_INVALID_PARAMETER);
	va_start(args, nstrings);
	if (nstrings == 0)
		rc = hook_ints(major, minor, (UINT32)nints, args);
	else
		rc = hook_mixed(major, minor, (UINT32)nints, (UINT32)nstrings, args);
	va_end(args);
	return rc;
}
