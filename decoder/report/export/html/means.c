#include "means.h"

#include <math.h>
#include <string.h>

#include "../../values/columns.h"
#include "../../values/interval_columns.h"

static const char *const means_names[TILES_MEANS] = {
	"thread_cpi", "scaled_cpi", "raw_cpi", "busy_pct", "off_cpu_ns"};

void means_init(struct means *m)
{
	for (size_t i = 0; i < TILES_MEANS; i++)
		for (const struct column *c = interval_columns; c->name || c->heading; c++)
			if (c->name && strcmp(c->name, means_names[i]) == 0)
				m->columns[i] = c;
}

static double means_value(struct cell cell)
{
	switch (cell.kind) {
	case CELL_U64:
	case CELL_WHOLE:
		return (double)cell.u;
	case CELL_I64:
		return (double)cell.i;
	case CELL_REAL:
	case CELL_DOUBLE:
		return isfinite(cell.real) ? cell.real : NAN;
	default:
		return NAN;
	}
}

void means_read(const struct means *m, const struct interval *iv, double values[TILES_MEANS])
{
	for (size_t i = 0; i < TILES_MEANS; i++)
		values[i] = means_value(column_cell(m->columns[i], iv));
}

void means_write_names(struct json *j)
{
	json_open(j, '[');
	for (size_t i = 0; i < TILES_MEANS; i++)
		json_text(j, means_names[i]);
	json_close(j, ']');
}
