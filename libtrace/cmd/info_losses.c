/* info: hooks lost since init, by program. */
#include "../../decoder/sink/program_columns.h"
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

void info_write_losses(struct document *d, const struct info *i)
{
	struct program_row unknown = {.name = "unknown"};

	document_open(d, "lost_since_init", '{');
	if (d->j)
		json_member_u64(d->j, "all", i->lost_since_init);
	d->title = "\nlost since init, by program\n";
	for (document_begin_list(d, "programs", program_columns, 0); document_pass(d);) {
		for (size_t k = 0; k < i->programs.count; k++) {
			const struct top_program *p = &i->programs.row[k];

			if (p->pid == 0)
				unknown.lost = p->total.lost;
			else if (p->total.lost)
				document_add_row(d, &(struct program_row){p->name,
							    cell_u64(p->pid, true), p->total.lost});
		}
		if (document_is_text(d) && unknown.lost)
			document_add_row(d, &unknown);
	}
	if (d->j)
		json_member_u64(d->j, "unknown", unknown.lost);
	document_close(d, '}');
}
