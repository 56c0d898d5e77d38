/*
 * A hook group in one reservation: label, data hooks, label, and behind them the hooks of another
 * major.
 *
 *	frame_open(&f, major, mm, label);
 *	frame_add(&f, nwords);			for each data hook
 *	if (frame_begin(&f, start_ticks, at) == HOOK_RESERVED) {
 *		frame_label(&f, minor);		does nothing without a label
 *		c = frame_record(&f, major, minor, nwords);	exactly the hooks that were added
 *		... cursor_put_...(&c, ...) exactly nwords ...
 *		frame_label(&f, minor);
 *		hook_commit(&f.w);
 *	}
 *
 * Words are written directly to the ring. Nothing may block between begin and commit, so every
 * value comes from the library's own memory.
 */
#ifndef SWT_MEASURE_CPI_FRAME_H
#define SWT_MEASURE_CPI_FRAME_H

#include <stdint.h>
#include <string.h>

#include "../../../formats/bytes.h"
#include "../../counters/sample.h"
#include "../../ring/hook.h"

struct frame {
	struct hook_writer w;
	uint64_t elapsed;  /* ticks from the start to the group's stamp; known once it has begun */
	const char *label; /* NULL: none */
	uint32_t length;   /* of the label */
	uint32_t mm;	   /* of every minor */
	uint32_t bytes, hooks;
	uint8_t major;
};

static inline void frame_open(struct frame *f, uint8_t major, uint32_t mm, const char *label)
{
	size_t length = label ? strlen(label) : 0;

	f->major = major;
	f->mm = mm;
	f->label = label;
	f->length = f->bytes = f->hooks = 0;
	if (!label)
		return;
	/* Limit the size: the reservation of a group that is too large must fail, so that it is
	 * counted. */
	if (length >= REC_MAX_SIZE / 2)
		length = REC_MAX_SIZE / 2;
	f->length = (uint32_t)length;
	f->bytes = 2 * rec_size(2, rec_string_bytes(f->length));
	f->hooks = 2;
}

static inline void frame_add_texts(struct frame *f, uint32_t nwords, uint32_t string_bytes)
{
	f->bytes += rec_size(nwords, string_bytes);
	f->hooks++;
}

static inline void frame_add(struct frame *f, uint32_t nwords)
{
	frame_add_texts(f, nwords, 0);
}

/* Like hook_begin_at. */
static inline int frame_begin(struct frame *f, uint64_t start_ticks, const struct hook_time *at)
{
	struct hook_writer w;
	int rc = hook_begin_at(
		&w, f->major, f->bytes <= REC_MAX_SIZE ? f->bytes : UINT32_MAX, f->hooks, at);

	if (rc != HOOK_RESERVED)
		return rc;
	/* Copy it: the address of this copy does not escape, so that it stays in registers across
	 * stores into the ring. */
	f->w = w;
	f->elapsed = f->w.stamp > start_ticks ? f->w.stamp - start_ticks : 0;
	return HOOK_RESERVED;
}

/* Where the next word goes. */
struct cursor {
	uint8_t *at;
};

/* Strings follow the words. */
static inline struct cursor frame_record_texts(struct frame *f, uint8_t major, uint32_t minor,
	uint32_t nwords, uint32_t texts, uint32_t string_bytes)
{
	return (struct cursor){
		hook_record(&f->w, major, minor | f->mm, nwords, texts, string_bytes)};
}

static inline struct cursor frame_record(
	struct frame *f, uint8_t major, uint32_t minor, uint32_t nwords)
{
	return frame_record_texts(f, major, minor, nwords, 0, 0);
}

static inline void cursor_put_word(struct cursor *c, uint32_t v)
{
	put_le32(c->at, v);
	c->at += 4;
}

/* A ratio: the integral part and the fraction. */
static inline void cursor_put_pair(struct cursor *c, const uint32_t word[2])
{
	cursor_put_word(c, word[0]);
	cursor_put_word(c, word[1]);
}

/* Usually a few words: the empty asm keeps the compiler from calling memset. */
static inline void cursor_put_zeros(struct cursor *c, uint32_t pairs)
{
	for (; pairs; pairs--) {
		put_le64(c->at, 0);
		c->at += 8;
		__asm__("" : "+r"(c->at));
	}
}

static inline void cursor_put_elapsed(struct cursor *c, const struct frame *f)
{
	put_hl64(c->at, f->elapsed);
	c->at += 8;
}

/* Not measured: 0. */
static inline void cursor_put_count(struct cursor *c, uint64_t v)
{
	put_hl64(c->at, v == NOT_MEASURED ? 0 : v);
	c->at += 8;
}

/* Puts a figure of the thread's activity: NOT_MEASURED as it is. */
static inline void cursor_put_activity(struct cursor *c, uint64_t v)
{
	put_hl64(c->at, v);
	c->at += 8;
}

/* Both label hooks have the same text: a short one is loaded once for both. */
static inline void frame_label(struct frame *f, uint32_t minor)
{
	struct cursor c;

	if (!f->label)
		return;
	c.at = hook_record(&f->w, f->major, minor | f->mm, 2, 1, rec_string_bytes(f->length));
	cursor_put_elapsed(&c, f);
	hook_string(c.at, f->label, f->length);
}

#endif
