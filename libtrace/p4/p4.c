/* Computes register values and the manual's steps. */
#include "p4.h"

#include <stdarg.h>
#include <stdio.h>

#include "../../formats/base/text.h"

/* --------------------------------------------------------------------- values */

static uint32_t p4_escr_modes(const struct p4_request *r)
{
	uint32_t bits = 0;

	if (r->threads & P4_THREAD_0)
		bits |= (r->kernel ? P4_ESCR_T0_OS : 0) | (r->user ? P4_ESCR_T0_USR : 0);
	if (r->threads & P4_THREAD_1)
		bits |= (r->kernel ? P4_ESCR_T1_OS : 0) | (r->user ? P4_ESCR_T1_USR : 0);
	return bits;
}

static uint32_t p4_escr_selection(const struct p4_event *event, uint32_t masks, uint32_t tags)
{
	return (uint32_t)event->select << P4_ESCR_SELECT_SHIFT |
	       (masks & 0xffff) << P4_ESCR_MASK_SHIFT | tags << P4_ESCR_TAG_SHIFT |
	       (tags ? P4_ESCR_TAG_ENABLE : 0);
}

uint32_t p4_escr_value(const struct p4_request *r)
{
	return p4_escr_selection(r->event, r->masks, r->masks >> P4_TAG_BIT) | p4_escr_modes(r);
}

uint32_t p4_upstream_value(const struct p4_request *r)
{
	uint32_t tags = 0;

	if (!r->metric || !r->metric->event)
		return 0;
	/* NBOGUS0 and BOGUS0 test tag bit 0, and so on. */
	if (r->metric->tagging == P4_EXECUTION)
		tags = (r->masks | r->masks >> 4) & 0xf;
	return p4_escr_selection(P4FindEvent(r->metric->event), r->metric->masks, tags) |
	       p4_escr_modes(r);
}

static uint32_t p4_cccr_filter(const struct p4_request *r)
{
	if (!r->compare)
		return 0;
	return P4_CCCR_COMPARE | (r->complement ? P4_CCCR_COMPLEMENT : 0) |
	       (uint32_t)r->threshold << P4_CCCR_THRESHOLD_SHIFT | (r->edge ? P4_CCCR_EDGE : 0);
}

uint32_t p4_cccr_value(const struct p4_request *r)
{
	uint32_t v = (uint32_t)r->event->cccr_select << P4_CCCR_SELECT_SHIFT | P4_CCCR_ANY_THREAD |
		     p4_cccr_filter(r);

	/* The alternate counter's overflow enables a cascaded counter. */
	v |= r->cascade ? P4_CCCR_CASCADE : P4_CCCR_ENABLE;
	if (r->force_overflow)
		v |= P4_CCCR_FORCE_OVF;
	if (r->interrupt && r->threads & P4_THREAD_0)
		v |= P4_CCCR_OVF_PMI_T0;
	if (r->interrupt && r->threads & P4_THREAD_1)
		v |= P4_CCCR_OVF_PMI_T1;
	return v;
}

size_t p4_counters_of(const struct p4_request *r, uint8_t escr, uint8_t counters[P4_COUNTERS])
{
	uint32_t can = p4_escrs[escr].counters;
	size_t n = 0;

	if (r->counter >= 0)
		can &= 1u << r->counter;
	if (r->cascade)
		can &= 0xffff; /* 16 and 17 have no alternate counter */
	for (uint8_t c = 0; c < P4_COUNTERS; c++)
		if (c != 1 && can >> c & 1)
			counters[n++] = c;
	/* Linux never uses counter 1: its CCCR's enable flag does not work properly. */
	if (can & 2)
		counters[n++] = 1;
	return n;
}

uint64_t P4PerfConfig(const struct p4_request *r, const char **lacking)
{
	struct p4_event numbered = *r->event;
	uint64_t cccr = p4_cccr_filter(r) | P4_CCCR_ANY_THREAD;
	const char *why = NULL;

	numbered.select = (uint8_t)(r->event - p4_events);
	if (r->masks & r->event->perf_lacks)
		why = "Linux knows no such unit mask of this event";
	else if (r->metric && r->metric->event)
		why = "Linux does not write the ESCR that tags the uops";
	else if (r->cascade || r->force_overflow)
		why = "Linux neither cascades counters nor forces overflows";
	if (r->metric)
		cccr |= r->metric->perf;
	if (lacking)
		*lacking = why;
	return (uint64_t)p4_escr_selection(&numbered, r->masks, r->masks >> P4_TAG_BIT) << 32 |
	       cccr;
}

/* ---------------------------------------------------------------------- steps */

__attribute__((format(printf, 3, 4))) static struct p4_step *p4_write_step(
	struct p4_step *s, unsigned number, const char *format, ...)
{
	va_list args;

	*s = (struct p4_step){.number = number};
	va_start(args, format);
	vsnprintf(s->text, sizeof s->text, format, args);
	va_end(args);
	return s;
}

static void p4_set_wrmsr(struct p4_step *s, uint32_t msr, uint32_t value)
{
	s->write = true;
	s->msr = msr;
	s->value = value;
}

/* "MMTP, MMTM" */
static void mask_names(const struct p4_event *event, uint32_t masks, char text[P4_TEXT_MAX / 2])
{
	text[0] = 0;
	for (size_t i = 0; i < event->mask_count; i++)
		if (masks >> event->masks[i].bit & 1)
			text_append(text, P4_TEXT_MAX / 2, "%s%s", *text ? ", " : "",
				event->masks[i].name);
}

static size_t tag_steps(const struct p4_program *p, struct p4_step *s)
{
	const struct p4_request *r = p->request;
	const struct p4_metric *metric = r->metric;
	struct p4_step *first = s;
	char masks[P4_TEXT_MAX / 2];

	if (p->upstream) {
		mask_names(P4FindEvent(metric->event), metric->masks, masks);
		p4_set_wrmsr(p4_write_step(s++, 5, "write %s: %s with %s, which tags the uops",
				     p4_escrs[p->upstream_escr].name, metric->event, masks),
			p4_escrs[p->upstream_escr].msr, p->upstream_value);
	}
	if (metric && metric->pebs_enable) {
		p4_set_wrmsr(p4_write_step(s++, 5, "write IA32_PEBS_ENABLE: replay tagging for %s",
				     metric->name),
			P4_MSR_PEBS_ENABLE, metric->pebs_enable);
		p4_set_wrmsr(
			p4_write_step(s++, 5, "write MSR_PEBS_MATRIX_VERT: replay tagging for %s",
				metric->name),
			P4_MSR_PEBS_MATRIX_VERT, metric->matrix_vert);
	}
	return (size_t)(s - first);
}

static const char *mode_names(const struct p4_request *r)
{
	if (r->user && r->kernel)
		return "USR and OS";
	return r->user ? "USR" : "OS";
}

static void cccr_text(const struct p4_program *p, struct p4_step *s)
{
	const struct p4_request *r = p->request;
	char filtered[64] = "no filter";

	if (r->compare)
		snprintf(filtered, sizeof filtered, "compare, %s %u%s",
			r->complement ? "not above" : "above", r->threshold,
			r->edge ? ", edge" : "");
	p4_write_step(s, 6, "write %s: CCCR select %u, %s%s%s%s, all flags at once",
		p4_counters[p->counter].cccr_name, r->event->cccr_select, filtered,
		r->interrupt ? ", interrupt at overflow" : "",
		r->force_overflow ? ", forced overflow" : "",
		r->cascade ? ", cascade instead of enable" : ", enable");
	p4_set_wrmsr(s, p4_counters[p->counter].cccr_msr, p->cccr_value);
}

size_t P4Steps(const struct p4_program *p, struct p4_step steps[P4_STEPS_MAX])
{
	const struct p4_request *r = p->request;
	const struct p4_escr *escr = &p4_escrs[p->escr];
	const struct p4_counter *counter = &p4_counters[p->counter];
	char masks[P4_TEXT_MAX / 2];
	struct p4_step *s = steps;
	uint32_t mask = r->masks & 0xffff;

	mask_names(r->event, r->masks, masks);
	p4_write_step(s++, 1, "event %s: event select %02XH, event mask %04XH (%s)", r->event->name,
		r->event->select, mask, masks);
	p4_write_step(s++, 2, "ESCR %s", escr->name);
	p4_write_step(s++, 3, "counter number %u", p->counter);
	p4_write_step(s++, 4, "addresses: counter %s %XH, CCCR %s %XH, ESCR %s %XH", counter->name,
		counter->msr, counter->cccr_name, counter->cccr_msr, escr->name, escr->msr);
	s += tag_steps(p, s);
	p4_set_wrmsr(p4_write_step(s++, 5,
			     "write %s: event select %02XH, event mask %04XH, %s on thread %s",
			     escr->name, r->event->select, mask, mode_names(r),
			     r->threads == 3		? "0 and 1"
			     : r->threads & P4_THREAD_1 ? "1"
							: "0"),
		escr->msr, p->escr_value);
	cccr_text(p, s++);
	return (size_t)(s - steps);
}
