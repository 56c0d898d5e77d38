/*
 * An open group: its interval, and the state of its hooks so far.
 *
 * decoder/model/intervals/group owns reading a CPI group. It includes hooks, intervals and trace.
 * Errors as in trace/trace.h.
 */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_GROUP_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_GROUP_H

#include <stdatomic.h>

#include "../../trace/findings.h"
#include "plan.h"
#include "../intervals.h"

/* Shared by the groups of a builder. */
struct group_reader {
	const struct trace *trace;
	struct unnamed unnamed;
	struct hash_index names;  /* of values, see values.c */
	atomic_uchar *had_values; /* trace_note_values; NULL: not noted */
	size_t values_limit;
};

struct shape_found;

struct group {
	struct interval iv;
	struct interval_cpu *cpus;
	size_t cpus_room;
	struct interval_util *utils; /* of CPU utilisation: num_utils, as many as cpus in the end */
	uint32_t num_utils;
	size_t utils_room;
	const char *label; /* text, or a file's */
	char *label_text;
	size_t label_room;
	uint32_t known; /* of SCOPE_MAJOR: the word */
	struct interval_value *values;
	size_t values_room;
	char *value_texts;
	size_t texts_room;
	/* The first value of the hook that is being read, and the value that its next text belongs
	 * to. */
	uint32_t first_value, text_value;
	uint64_t event_enabled; /* ns, of the event that is being read */
	uint32_t num_cpus_word; /* by the hooks; 0: not stated */
	struct group_identity identity;
	bool open, has_types;
	const struct trace_file *file;
	struct group_reader *reader;
};

bool group_elapsed_by_cursor(
	const struct group_plan *plan, const struct hook *h, uint64_t *elapsed);

/* Reads a hook's elapsed time at its fixed offset; false if there is none or it has too few words.
 */
static inline bool group_elapsed_at(
	const struct group_plan *plan, const uint8_t *words, uint32_t nwords, uint64_t *elapsed)
{
	const uint8_t *p = words + 4 * (size_t)plan->elapsed_word;

	if (nwords < plan->elapsed_words)
		return false;
	*elapsed = plan->elapsed_wide ? get_hl64(p) : get_le32(p);
	return true;
}

/* Reads the wanted fields of a hook, by the schema's cursor. 0 or CPIDECODE_ENOMEM. */
int group_decode(struct group *g, const struct group_plan *plan, const struct hook *h);
/* Reads the wanted fields of a group, just opened, of a known shape. checks: figures that several
 * hooks have must agree (WANT_FLAGS). 0 or CPIDECODE_ENOMEM. */
int group_decode_shape(struct group *g, const struct shape_found *found, bool checks);
/* Room for processor `cpu`, and those before it: 0 or CPIDECODE_ENOMEM. */
int group_need_cpu(struct group *g, uint32_t cpu);
int group_need_util(struct group *g, uint32_t cpu); /* in utils */
/* Completes a group of CPU utilisation after its last hook. 0 or CPIDECODE_ENOMEM. */
int group_settle_util(struct group *g);
/* Completes a light interval. */
void group_settle_scope(struct group *g, bool own_cost);

/* Named values, in values.c. Each reads a field; 0 or CPIDECODE_ENOMEM. */
int group_decode_value_name(struct group *g, uint32_t turn, uint64_t number, enum value_kind kind);
int group_decode_value_type(struct group *g, uint32_t turn, uint64_t type);
int group_decode_value_bits(struct group *g, uint32_t turn, uint64_t bits);
/* The time that an event was counted, ns. Follows its event_enabled. */
int group_decode_value_running(struct group *g, uint32_t turn, uint64_t running);
/* A string: the name or the text of the next value that lacks one. */
int group_decode_value_text(struct group *g, const char *bytes, uint32_t length);
/* After a hook's last field. */
int group_settle_values(struct group *g);
void group_free(struct group *g);

#endif
