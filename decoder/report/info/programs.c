#include "programs.h"

#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/trace_file.h"
#include "../../sink/escape.h"
#include "../../sink/table.h"

static const struct task *programs_find_task(
	const struct trace *trace, const struct trace_file *f, const struct task_loss *loss)
{
	const struct task *task = trace_task(trace, f->machine, loss->tid, loss->first);

	return task && task->first == loss->first ? task : NULL;
}

static int programs_compare(const void *a, const void *b)
{
	const struct info_program *x = a, *y = b;
	int names = strcmp(x->name, y->name);

	return names ? names : compare_u64(x->pid, y->pid);
}

static int programs_compare_losses(const void *a, const void *b)
{
	const struct info_program *x = a, *y = b;

	return x->lost != y->lost ? (x->lost < y->lost ? 1 : -1) : programs_compare(a, b);
}

/* One row for each program. */
static void programs_join(struct info_programs *p)
{
	size_t kept = 0;

	if (p->count)
		qsort(p->at, p->count, sizeof *p->at, programs_compare);
	for (size_t i = 0; i < p->count; i++) {
		if (kept && programs_compare(&p->at[kept - 1], &p->at[i]) == 0)
			p->at[kept - 1].lost += p->at[i].lost;
		else
			p->at[kept++] = p->at[i];
	}
	p->count = kept;
	if (kept)
		qsort(p->at, kept, sizeof *p->at, programs_compare_losses);
}

int info_programs_sum(
	struct info_programs *p, const struct trace *trace, const struct trace_file *f)
{
	uint64_t known = 0;

	p->at = calloc(f->task_losses->count + 1, sizeof *p->at);
	if (!p->at)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < f->task_losses->count; i++) {
		const struct task_loss *loss = &f->task_losses->at[i];
		const struct task *task = programs_find_task(trace, f, loss);
		uint64_t lost = loss->lost - loss->before;

		if (loss->tid == 0) {
			p->all = lost;
			p->before = loss->before;
		} else if (task && lost) {
			p->at[p->count++] = (struct info_program){task->pid, task->name, lost};
			known += lost;
		}
	}
	/* The ring and the task count a loss one after the other: the tasks' sum may be ahead. */
	p->all = p->all > known ? p->all : known;
	p->unknown = p->all - known;
	programs_join(p);
	return 0;
}

void info_programs_free(struct info_programs *p)
{
	free(p->at);
	*p = (struct info_programs){0};
}

void info_programs_text(const struct info_programs *p, struct out *o)
{
	struct table t;

	if (!p->all)
		return;
	out_str(o, p->before ? "\nlost since this file began, by program\n"
			     : "\nlost since the buffers were made, by program\n");
	for (table_begin(&t, o); table_pass(&t);) {
		table_printf(&t, "program\t>process\t>hooks lost\n");
		for (size_t i = 0; i < p->count; i++) {
			escape_text(table_left(&t), p->at[i].name, strlen(p->at[i].name));
			out_u64(table_right(&t), p->at[i].pid);
			out_u64(table_right(&t), p->at[i].lost);
			table_end_row(&t);
		}
		if (p->unknown) {
			table_printf(&t, "unknown\t>n/a");
			out_u64(table_right(&t), p->unknown);
			table_end_row(&t);
		}
	}
	table_free(&t);
}

void info_programs_json(const struct info_programs *p, const struct trace_file *f, struct json *j)
{
	if (!f->sections_of[TF_TYPE_TASKLOSS])
		return;
	json_member_open(j, "lost_by_program", '{');
	json_member_u64(j, "all", p->all);
	json_member_u64(j, "before_file", p->before);
	json_member_open(j, "programs", '[');
	for (size_t i = 0; i < p->count; i++) {
		json_open(j, '{');
		json_member_text(j, "name", p->at[i].name);
		json_member_u64(j, "pid", p->at[i].pid);
		json_member_u64(j, "lost", p->at[i].lost);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_member_u64(j, "unknown", p->unknown);
	json_close(j, '}');
}
