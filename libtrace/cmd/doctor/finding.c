/*
 * doctor: one finding.
 */
#include <stdarg.h>
#include <stdio.h>

#include "doctor.h"

struct finding *finding(
	struct findings *f, const char *id, enum finding_status status, const char *format, ...)
{
	/* There are fewer kinds of findings than there is room. */
	struct finding *n = &f->list[f->count < FINDINGS_MAX ? f->count++ : FINDINGS_MAX - 1];
	va_list args;

	n->id = id;
	n->status = status;
	n->meaning[0] = n->todo[0] = 0;
	va_start(args, format);
	vsnprintf(n->text, sizeof n->text, format, args);
	va_end(args);
	return n;
}

void finding_means(struct finding *n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(n->meaning, sizeof n->meaning, format, args);
	va_end(args);
}

void finding_todo(struct finding *n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(n->todo, sizeof n->todo, format, args);
	va_end(args);
}

bool doctor_has_cycles(const struct pmu_facts *p)
{
	return p->cycles_hz != 0 || (p->found.cycles && p->in_use.quantity[COUNTER_BUSY].measured);
}
