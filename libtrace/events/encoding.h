/*
 * Events' encodings: the kernel's generic events, PMUs and their terms, libpfm4's tables. For
 * `swtrace event`, which shows and changes encodings; who only needs an event by its name includes
 * event.h.
 */
#ifndef SWT_EVENTS_ENCODING_H
#define SWT_EVENTS_ENCODING_H

#include "event.h"

/* Writes the human-readable line; returns rc. */
__attribute__((format(printf, 3, 4))) int event_refuse(
	char why[EVENT_WHY_MAX], int rc, const char *format, ...);

/* ------------------------------------------------------------------ generic.c */

int event_generic_walk(int (*visit)(void *user, const struct cpc_event_info *info), void *user);

/* ------------------------------------------------------------------- format.c */

/* Where a term's bits go: "config:0-7,32-35" is word 0, mask 0xf000000ff. */
struct event_field {
	unsigned word; /* 0 to 2: config, config1, config2 */
	uint64_t mask;
};

/* The text of a format file; a newline may end it. */
bool event_field_parse(const char *text, struct event_field *field);
unsigned event_field_bits(const struct event_field *field);
/* False if the value does not fit. Bits of the field that were set are replaced. */
bool event_field_put(const struct event_field *field, uint64_t value, uint64_t word[3]);
uint64_t event_field_get(const struct event_field *field, const uint64_t word[3]);
/* Decimal, or hexadecimal after 0x; no sign, no leading zeros, no overflow. */
bool event_number(const char *text, uint64_t *value);

/* -------------------------------------------------------------------- sysfs.c */

/* The formats of a PMU that is not in sysfs: {"event", "config:0-7"}, ...; name NULL ends. */
struct event_format {
	const char *term, *spec;
};

struct event_pmu {
	char name[64];
	uint32_t type;
	const struct event_format *formats; /* NULL: those of sysfs */
};

/* Replaces /sys; NULL: /sys itself. Not while other threads search events. */
void event_sysfs_set(const char *root);
bool event_sysfs_is_ours(void);

/* 0 or -errno: -EINVAL invalid name, -ENOENT no PMU of that name. */
int event_pmu_open(const char *name, struct event_pmu *pmu);
/* False: this PMU has no such term. */
bool event_pmu_field(const struct event_pmu *pmu, const char *term, struct event_field *field);
int event_pmu_walk_terms(
	const struct event_pmu *pmu, int (*visit)(void *user, const char *term), void *user);

/* -------------------------------------------------------------------- terms.c */

/* "event=0x3c,umask=0,inv" or an event's name, for this PMU: fills type and configs. */
int event_terms(const struct event_pmu *pmu, const char *terms, struct cpc_event *e,
	char why[EVENT_WHY_MAX]);

/* -------------------------------------------------------------------- spell.c */

/* Its encoding for perf's command line: "cpu/event=0x3c,umask=0x0/u". `extra` is the term for
 * config1 (NULL: whichever fits). False: the text did not fit. */
bool event_spell(const struct event_pmu *pmu, const struct cpc_event *e, const char *extra,
	char *text, size_t size);

/* -------------------------------------------------------------------------- event.c */

/* Like event_find, but "cpu/.../" and "r..." mean this PMU, and nothing else is known. */
int event_find_for(const struct event_pmu *pmu, const char *name, struct cpc_event *e,
	char why[EVENT_WHY_MAX]);

/* ------------------------------------------------------------------ pfm_all.c */

/* Other processors' events can be encoded too. Before anything else is asked of libpfm4. */
void event_pfm_want_all(void);

struct event_pfm_pmu {
	const char *name, *description;
	unsigned counters, fixed;
	bool core, here; /* a processor's; this machine's */
};

/* -ENOENT: no such PMU, or no libpfm4. */
int event_pfm_open(const char *name, struct event_pfm_pmu *pmu);
/* "pmu::event:mask", or "pmu::event" of those that have none. */
int event_pfm_walk_of(
	const char *pmu, int (*visit)(void *user, const struct cpc_event_info *info), void *user);

struct event_pfm_attribute {
	const char *name, *description; /* NULL: none known */
	bool mask;			/* else a modifier */
	bool flag;			/* modifier: accepts yes or no, else a number */
	bool preset;			/* mask: the one that is meant where none is given */
	uint64_t code;			/* mask: its bits, as libpfm4 has them */
};

/* An event without its masks. -ENOENT: unknown. */
int event_pfm_describe(const char *name, struct cpc_event_info *info, uint64_t *code,
	int (*visit)(void *user, const struct event_pfm_attribute *a), void *user);

#endif
