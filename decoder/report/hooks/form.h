/*
 * What all hooks of a form have in common: the text before each value of a line, and where the
 * values are. Hooks are of a form if they have a major and a schema, equal numbers of words and
 * strings, and if their conditions and repeats come out alike. The schema's cursor finds it once.
 *
 * The columns are data (form.c); a line of text, CSV or JSON differs in the texts alone, so that
 * one walker writes all of them (writer.h).
 */
#ifndef SWT_DECODER_REPORT_HOOKS_FORM_H
#define SWT_DECODER_REPORT_HOOKS_FORM_H

#include "../../model/hooks/schema.h"
#include "../../sink/csv.h"
#include "../values/hook_names.h"

enum hook_as {
	HOOK_AS_FIELDS, /* the fields alone, as a JSON object; null without a schema */
	HOOK_AS_JSON,
	HOOK_AS_CSV, /* fields as JSON in a cell */
	HOOK_AS_TEXT,
};

/* How a value is written. `at` of a column: its offset in struct hook. */
enum form_kind {
	FORM_TIME,
	FORM_ISO_TIME,
	FORM_U64,
	FORM_U32,
	FORM_CPU,	/* none of a guest ring's hook */
	FORM_CPU_RIGHT, /* aligned */
	FORM_TID_RIGHT,
	FORM_MINOR_HEX,
	FORM_HOST,
	FORM_TASK, /* pid, then what FORM_SPELLED leaves out */
	FORM_WORDS,
	FORM_DECIMALS,
	/* Texts of the form itself. */
	FORM_SPELLED, /* with the task */
	FORM_MAJOR,
	FORM_NAME,
	FORM_STRINGS,
	FORM_FIELDS,
	/* Values of fields. `at`: the offset of its words, in bytes; the number of a string. */
	FORM_WORD, /* a u32 that is measured whatever it is */
	FORM_NUMBER,
	FORM_DOUBLE,
	FORM_STRING,
	FORM_NAMES, /* texts of the table of labels; `at`: members come before them */
};

struct form_value {
	const struct schema_field *field; /* of fields */
	uint32_t text, length;		  /* before it, in the form's text */
	uint32_t at;
	uint8_t kind; /* enum form_kind */
};

/* The bits of a word that the form depends on. */
struct form_check {
	uint32_t at, bits, value;
};

/* Starts zeroed, with `text` in memory. */
struct hook_form {
	bool is_made;
	const struct schema_hook *schema; /* NULL: none */
	uint32_t major, nwords, nstrings;
	uint32_t fit; /* enum field_fit */
	size_t nchecks, checks_room;
	struct form_check *checks;
	size_t nvalues, values_room;
	struct form_value *values;
	struct out text; /* before the values; after the last one from `end` on; padded */
	size_t end, length;
	size_t room; /* for the line, without its host, task and strings */
};

/* How a hook is spelled. */
struct form_how {
	enum hook_as as;
	enum report_times times;
	bool names_hosts, has_containers; /* columns more */
	bool csv_safe;
	const struct trace *trace;
	struct hook_names *names;
	struct out *scratch;
};

/* 0 or CPIDECODE_ENOMEM. */
int hook_form_make(struct hook_form *form, const struct form_how *how, const struct hook *h);
void hook_form_free(struct hook_form *form);
/* The names of CSV's columns. */
void hook_form_header(struct csv *c, const struct form_how *how);

static inline bool hook_form_fits(const struct hook_form *form, const struct hook *h)
{
	if (!form->is_made || form->schema != h->schema || form->major != h->major ||
		form->nwords != h->nwords || form->nstrings != h->nstrings)
		return false;
	for (size_t i = 0; i < form->nchecks; i++) {
		const struct form_check *c = &form->checks[i];

		if ((get_le32(h->words + c->at) & c->bits) != c->value)
			return false;
	}
	return true;
}

/* "short", "long", or NULL: the hook is as its schema says. */
const char *hook_form_fit(uint32_t fit);

#endif
