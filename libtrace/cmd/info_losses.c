/* info: hooks lost since init, by program. */
#include <string.h>

#include "../../decoder/sink/escape.h"
#include "../ring/reader.h"
#include "info.h"

/* Sums the counters of all rings. A discard does not reset them. */
static uint64_t info_sum_losses(const struct info *i)
{
	struct ring_reader reader;
	struct shm_ring header;
	uint64_t sum = 0;

	if (ring_reader_open(&reader, i->session.rings_fd, &i->session.geometry, NULL) != 0)
		return 0;
	for (uint32_t ring = 0; ring < ring_reader_rings(&reader); ring++)
		if (ring_reader_header(&reader, ring, &header) == 0)
			sum += shm_losses_sum(header.loss);
	ring_reader_close(&reader);
	return sum;
}

void info_read_losses(struct info *i)
{
	struct tasks tasks;

	tasks_open(&tasks, &i->session);
	/* Before the rings' counters: a loss is counted in the ring first. */
	top_programs_add_losses(&i->programs, &tasks, &i->session);
	i->lost_since_init = info_sum_losses(i);
	top_programs_close_round(&i->programs, &i->session, i->lost_since_init);
	tasks_close(&tasks);
}

void info_print_losses(const struct info *i)
{
	struct print_stream stream;

	if (i->lost_since_init == 0)
		return;
	struct table *t = print_table_begin(&stream, stdout, NULL, 2);
	out_str(t->o, "\nlost since init, by program\n");
	while (table_pass(t)) {
		table_printf(t, "program\t>process\t>hooks lost\n");
		/* The first row, of unknown tasks, comes last. */
		for (size_t k = 1; k <= i->programs.count; k++) {
			const struct top_program *p = &i->programs.row[k % i->programs.count];

			if (p->total.lost == 0)
				continue;
			if (p->pid) {
				escape_text(table_left(t), p->name, strlen(p->name));
				out_u64(table_right(t), p->pid);
			} else {
				table_printf(t, "unknown\t>n/a");
			}
			out_u64(table_right(t), p->total.lost);
			table_end_row(t);
		}
	}
	print_stream_end(&stream);
}

void info_json_losses(struct json *j, const struct info *i)
{
	uint64_t unknown = 0;

	json_member_open(j, "lost_since_init", '{');
	json_member_u64(j, "all", i->lost_since_init);
	json_member_open(j, "programs", '[');
	for (size_t k = 0; k < i->programs.count; k++) {
		const struct top_program *p = &i->programs.row[k];

		if (p->pid == 0)
			unknown = p->total.lost;
		if (p->pid == 0 || p->total.lost == 0)
			continue;
		json_open(j, '{');
		json_member_text(j, "name", p->name);
		json_member_u64(j, "pid", p->pid);
		json_member_u64(j, "lost", p->total.lost);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_member_u64(j, "unknown", unknown);
	json_close(j, '}');
}
