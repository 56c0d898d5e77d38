/*
 * How a hook is an event of CTF: the declaration of its fields, and their bytes. A field that a
 * hook may lack (in an if, in a repeat, or not measured) is a sequence of its values, none or more.
 * A hook that its schema does not fit, or that has none, is an event of words and strings.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_CTF_CLASSES_H
#define SWT_DECODER_REPORT_EXPORT_CTF_CLASSES_H

#include "../../model/hooks/schema.h"
#include "../flame/names.h"
#include "../report.h"
#include "../values/hook_names.h"

enum { CTF_CLASSES_CACHED = 256 };

/* The first part of a field in an event's bytes. */
enum ctf_shape {
	CTF_SINGLE,   /* its value */
	CTF_SEQUENCE, /* how many values, and the values */
	CTF_MEASURED, /* then how many again, and for each whether it was measured */
};

struct ctf_class {
	const struct schema_hook *schema;
	uint32_t id;	/* of struct ctf_classes.texts; 0: not known yet */
	bool is_plain;	/* words and strings */
	bool has_label; /* resolved names follow */
	bool has_arguments;
	uint8_t shape[SCHEMA_MAX_FIELDS];
	/* Number of fields from this one on that are copied word by word, if each comes once. */
	uint16_t copied[SCHEMA_MAX_FIELDS];
};

/* Starts zeroed. */
struct ctf_classes {
	const struct trace *trace;
	/* Name and fields of each event that occurred: `name = ...` up to the end of the fields. */
	struct flame_names texts;
	struct ctf_class cached[CTF_CLASSES_CACHED];
	struct ctf_class plain;
	struct hook_names names;
	struct out text, spelled;
	/* Values of one hook. */
	struct field_value *values;
	uint32_t *order, first[SCHEMA_MAX_FIELDS + 1];
	size_t room, order_room;
	/* Hooks that CTF cannot hold, or left as words. */
	uint64_t strings_cut, misfits, rounded;
};

void ctf_classes_init(struct ctf_classes *c, const struct trace *t);
/* Appends the hook's fields: the number of its class, or 0: out of memory. */
uint32_t ctf_classes_put(struct ctf_classes *c, struct out *o, const struct hook *h);
void ctf_classes_free(struct ctf_classes *c);

#endif
