/*
 * event encode: for perf_event_open, and the register writes in the steps of the manual.
 */
#include <stdlib.h>
#include <string.h>

#include "registers.h"
#include "verb.h"

struct encoded {
	const char *name;
	struct cpc_event event;
	bool programmed;
	struct event_programme programme; /* if programmed */
	char why[EVENT_WHY_MAX];	  /* if not */
};

struct encoding {
	const struct event_asked *asked;
	struct encoded *list;
	int count, programmed;
};

/* -------------------------------------------------------------------- counters for all */

static const char *event_why_unprogrammable(const struct cpc_event *e)
{
	if (e->software)
		return "the kernel counts it: no register is written";
	if (e->type == PERF_TYPE_HARDWARE || e->type == PERF_TYPE_HW_CACHE)
		return "which event of the processor it is, only its kernel knows";
	return "it is not an event of the processor's own PMU";
}

static bool same_register(const struct event_register *a, const struct event_register *b)
{
	return a->name[0] && strcmp(a->name, b->name) == 0;
}

/* Two events that cannot count at once. */
static int check_conflict(const struct encoding *n, const struct encoded *later)
{
	for (const struct encoded *e = n->list; e < later; e++) {
		const struct event_programme *a = &e->programme, *b = &later->programme;

		if (!e->programmed)
			continue;
		if (a->fixed && b->fixed && a->counter == b->counter)
			return cmd_fail(n->asked->verb,
				"%s and %s both need fixed counter %d; encode them one at a time",
				e->name, later->name, a->counter);
		if (same_register(&a->extra, &b->extra) && a->extra.value != b->extra.value)
			return cmd_fail(n->asked->verb,
				"%s and %s both need %s, with other values; encode them one at a time",
				e->name, later->name, a->extra.name);
	}
	return EXIT_FINE;
}

static int event_programme_counter(struct encoding *n, struct encoded *e, int *counter)
{
	const struct event_cpu *cpu = &n->asked->cpu;
	struct cpc_event own;

	if (!event_cpu_config(cpu, &e->event, &own)) {
		snprintf(e->why, sizeof e->why, "%s", event_why_unprogrammable(&e->event));
		return EXIT_FINE;
	}
	e->programmed = event_programme(cpu, &own, *counter, &e->programme, e->why) == 0;
	if (!e->programmed)
		return EXIT_FINE;
	n->programmed++;
	*counter += !e->programme.fixed;
	if (*counter > event_counters(cpu))
		return cmd_fail(n->asked->verb,
			"%s finds no counter free: there are %d; encode fewer events at a time",
			e->name, event_counters(cpu));
	return check_conflict(n, e);
}

/* All fixed counters share their register, so that the last write has every one's bits. */
static void share_registers(struct encoding *n)
{
	uint64_t fixed = 0;

	for (int i = 0; i < n->count; i++)
		if (n->list[i].programmed && n->list[i].programme.fixed)
			fixed |= n->list[i].programme.select.value;
	for (int i = 0; i < n->count; i++)
		if (n->list[i].programmed && n->list[i].programme.fixed)
			n->list[i].programme.select.value = fixed;
}

static int event_encode_all(struct encoding *n)
{
	const struct event_asked *a = n->asked;
	int counter = 0, code = EXIT_FINE;
	char why[EVENT_WHY_MAX];

	for (int i = 0; i < a->operands && code == EXIT_FINE; i++) {
		struct encoded *e = &n->list[i];

		e->name = a->operand[i];
		int rc = event_cpu_event(&a->cpu, e->name, &e->event, why);
		if (rc)
			return cmd_fail(a->verb, "%s; %s", why, event_advice(rc));
		n->count++;
		code = event_programme_counter(n, e, &counter);
	}
	share_registers(n);
	return code;
}

/* The global enable register. name "": there is none. */
static struct event_register enable_all(const struct encoding *n)
{
	struct event_register all = {.name = ""};

	for (int i = 0; i < n->count; i++) {
		const struct event_register *r = &n->list[i].programme.enable;
		const uint64_t value = all.value;

		if (!n->list[i].programmed || !r->name[0])
			continue;
		all = *r;
		all.value |= value;
	}
	return all;
}

/* ------------------------------------------------------------------------ the procedure */

static void encode_spell_write(struct out *o, const struct event_register *r, uint64_t value)
{
	if (r->msr) {
		event_spell_wrmsr(o, r->address, value);
		out_printf(o, "  %s\n", r->name);
	} else {
		out_printf(o, "       MSR %s <- 0x%llx\n", r->name, (unsigned long long)value);
	}
}

static void fields_text(struct out *o, const struct event_programme *p)
{
	for (int i = 0; i < EVENT_FIELDS && p->field[i].name; i++)
		out_printf(o, "%s%s=0x%llx", i ? " " : "", p->field[i].name,
			(unsigned long long)p->field[i].value);
}

static void register_text(struct out *o, const struct event_register *r)
{
	if (r->msr)
		out_printf(o, "%s (MSR 0x%x)", r->name, (unsigned)r->address);
	else
		out_printf(o, "%s", r->name);
}

/* Iterates over the events that have a counter. */
#define EACH(n, e)                                                                                 \
	for (const struct encoded *e = (n)->list; e < (n)->list + (n)->count; e++)                 \
		if (e->programmed)

static void choice_text(struct out *o, const struct encoding *n)
{
	out_printf(o, "  1. Select the events to be counted.\n");
	EACH(n, e)
	{
		out_printf(o, "       %s: ", e->name);
		fields_text(o, &e->programme);
		out_printf(o, "\n");
	}
	out_printf(o, "  2. Select a counter for each.\n");
	EACH(n, e)
	{
		out_printf(o, "       %s: %s counter %d\n", e->name,
			e->programme.fixed ? "fixed" : "programmable", e->programme.counter);
		if (e->programme.also)
			out_printf(o, "       (%s)\n", e->programme.also);
	}
	out_printf(o, "  3. Determine the counters' registers.\n");
	EACH(n, e)
	{
		out_printf(o, "       %s: ", e->name);
		register_text(o, &e->programme.select);
		out_printf(o, ", ");
		register_text(o, &e->programme.count);
		out_printf(o, "\n");
	}
}

static void stop_text(struct out *o, const struct encoding *n)
{
	bool arm = n->asked->cpu.kind == EVENT_CPU_ARM;

	out_printf(o, "  4. Stop the counters and clear them.\n");
	EACH(n, e)
	{
		if (arm)
			out_printf(o, "       MSR PMCNTENCLR_EL0 <- 0x%llx\n",
				(unsigned long long)e->programme.enable.value);
		else
			encode_spell_write(o, &e->programme.select, 0);
		encode_spell_write(o, &e->programme.count, 0);
	}
}

static void procedure_text(struct out *o, const struct encoding *n)
{
	const struct event_register enable = enable_all(n);
	bool arm = n->asked->cpu.kind == EVENT_CPU_ARM;

	out_printf(o, "\n%s: the registers of one processor\n", n->asked->cpu.title);
	choice_text(o, n);
	stop_text(o, n);
	out_printf(o, "  5. Write event, unit mask, modes and filters%s.\n",
		arm ? "" : ", with the enable bit");
	EACH(n, e)
	{
		if (e->programme.extra.name[0])
			encode_spell_write(o, &e->programme.extra, e->programme.extra.value);
		encode_spell_write(o, &e->programme.select, e->programme.select.value);
	}
	if (!enable.name[0]) {
		out_printf(o, "  6. They count already: no other register enables them.\n");
		return;
	}
	out_printf(o, "  6. Enable the counters%s.\n",
		arm ? "; bit 0 (E) of PMCR_EL0 enables all of them" : "");
	if (arm)
		out_printf(o, "       ISB\n");
	encode_spell_write(o, &enable, enable.value);
	if (arm)
		out_printf(o, "       MRS X0, PMCR_EL0; ORR X0, X0, #1; MSR PMCR_EL0, X0\n");
}

/* -------------------------------------------------------------------------------- output */

enum { HAS_MSR = 1 };
static const struct column register_columns[] = {
	{"name", COLUMN_CHARS_AT(struct event_register, name)},
	{"msr", COLUMN_HEX_AT(struct event_register, address), .when = HAS_MSR},
	{"value", COLUMN_HEX_AT(struct event_register, value)},
	{.name = NULL},
};

static void encode_add_register(struct json *j, const char *key, const struct event_register *r)
{
	json_key(j, key);
	column_write_object(j, register_columns, IN_JSON, r->msr ? HAS_MSR : 0, r);
}

static void encode_add_programme(struct json *j, const struct event_programme *p)
{
	json_member_open(j, "registers", '{');
	json_member_i64(j, "counter", p->counter);
	json_member_bool(j, "fixed", p->fixed);
	json_member_open(j, "fields", '{');
	for (int i = 0; i < EVENT_FIELDS && p->field[i].name; i++)
		json_member_u64(j, p->field[i].name, p->field[i].value);
	json_close(j, '}');
	if (p->also)
		json_member_text(j, "also", p->also);
	encode_add_register(j, "select", &p->select);
	encode_add_register(j, "count", &p->count);
	if (p->extra.name[0])
		encode_add_register(j, "extra", &p->extra);
	json_close(j, '}');
}

static void encode_write_event(
	struct document *d, const struct encoding *n, const struct encoded *e)
{
	if (d->j) {
		json_break(d->j);
		json_open(d->j, '{');
		json_member_text(d->j, "name", e->name);
	} else {
		out_printf(d->o, "%s%s\n", e == n->list ? "" : "\n", e->name);
		out_printf(
			document_begin_line(d, "counts in"), "%s\n", event_modes_name(&e->event));
	}
	event_write_perf(d, &n->asked->cpu, &e->event);
	if (d->j && e->programmed) {
		encode_add_programme(d->j, &e->programme);
	} else if (d->j) {
		json_member_text(d->j, "registers", NULL);
		json_member_text(d->j, "why", e->why);
	} else if (!e->programmed) {
		out_printf(document_begin_line(d, "registers"), "n/a: %s\n", e->why);
	}
	document_close(d, '}');
}

static void encode_print(const struct encoding *n)
{
	const struct event_register enable = enable_all(n);
	struct print_stream stream;
	struct document *d = event_begin_document(&stream, n->asked->json);

	if (d->j)
		json_member_text(d->j, "processor", n->asked->cpu.title);
	document_open(d, "events", '[');
	for (int i = 0; i < n->count; i++)
		encode_write_event(d, n, &n->list[i]);
	if (d->j)
		json_break(d->j);
	document_close(d, ']');
	if (d->j && enable.name[0])
		encode_add_register(d->j, "enable", &enable);
	if (!d->j && n->programmed)
		procedure_text(d->o, n);
	print_document_end(&stream);
}

int event_encode(const struct event_asked *a)
{
	struct encoding n = {
		.asked = a, .list = calloc((size_t)a->operands, sizeof(struct encoded))};

	if (!n.list)
		return cmd_fail(a->verb, "encodings: not enough memory");
	int code = event_encode_all(&n);
	if (code == EXIT_FINE)
		encode_print(&n);
	free(n.list);
	return code;
}
