#include "programs.h"

#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/trace_file.h"
#include "../../sink/program_columns.h"

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

void info_write_programs(
	struct document *d, const struct info_programs *p, const struct trace_file *f)
{
	if (!f->sections_of[TF_TYPE_TASKLOSS])
		return;
	if (d->j) {
		json_member_open(d->j, "lost_by_program", '{');
		json_member_u64(d->j, "all", p->all);
		json_member_u64(d->j, "before_file", p->before);
	}
	d->title = p->before ? "\nlost since this file began, by program\n"
			     : "\nlost since the buffers were made, by program\n";
	for (document_begin_list(d, "programs", program_columns, 0); document_pass(d);) {
		for (size_t i = 0; i < p->count; i++) {
			const struct info_program *at = &p->at[i];

			document_add_row(d,
				&(struct program_row){at->name, cell_u64(at->pid, true), at->lost});
		}
		if (document_is_text(d) && p->unknown)
			document_add_row(d,
				&(struct program_row){"unknown", {.kind = CELL_NONE}, p->unknown});
	}
	if (d->j) {
		json_member_u64(d->j, "unknown", p->unknown);
		json_close(d->j, '}');
	}
}
