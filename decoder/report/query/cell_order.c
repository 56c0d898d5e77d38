#include "cell_order.h"

#include "top.h"

enum cell_group { CELLS_NUMBERS, CELLS_TEXTS, CELLS_ABSENT };

static struct cell cell_order_get(const struct cell_order *o, const struct interval *iv)
{
	return o->column ? column_cell(o->column, iv) : (struct cell){.kind = CELL_NONE};
}

static enum cell_group cell_order_group(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NONE:
		return CELLS_ABSENT;
	case CELL_WORDS:
		return cell->u ? CELLS_TEXTS : CELLS_ABSENT;
	case CELL_STRING:
	case CELL_ID:
		return CELLS_TEXTS;
	case CELL_REAL:
	case CELL_DOUBLE:
		return isnan(cell->real) ? CELLS_ABSENT : CELLS_NUMBERS;
	default:
		return CELLS_NUMBERS;
	}
}

/* Integers of one sign are exact. */
static uint64_t cell_order_number(const struct cell_order *o, const struct cell *cell)
{
	const bool is_exact = o->column->source != COLUMN_GET_OF;

	switch (cell->kind) {
	case CELL_REAL:
	case CELL_DOUBLE:
		return top_rank_real(cell->real);
	case CELL_I64:
		return is_exact ? (uint64_t)cell->i ^ UINT64_C(1) << 63
				: top_rank_real((double)cell->i);
	default:
		return is_exact ? cell->u : top_rank_real((double)cell->u);
	}
}

int cell_order_see(struct cell_order *o, uint64_t place, const struct interval *iv)
{
	const struct cell cell = cell_order_get(o, iv);
	struct out spelled;

	if (cell_order_group(&cell) != CELLS_TEXTS)
		return 0;
	if (cell.kind == CELL_STRING)
		return text_ranks_add(&o->texts, place, cell.s, cell.len);
	out_memory(&spelled);
	if (cell.kind == CELL_ID)
		cell_spell_id(&spelled, &cell);
	else
		cell.words(&spelled, (uint32_t)cell.u);
	int rc = spelled.error ? CPIDECODE_ENOMEM
			       : text_ranks_add(&o->texts, place, spelled.buf, spelled.len);
	out_discard(&spelled);
	return rc;
}

int cell_order_settle(struct cell_order *o, uint64_t places)
{
	return text_ranks_settle(&o->texts, places);
}

uint64_t cell_order_rank(
	struct cell_order *o, uint64_t place, const struct interval *iv, uint32_t *group)
{
	const struct cell cell = cell_order_get(o, iv);
	uint64_t rank = 0;

	*group = cell_order_group(&cell);
	if (*group == CELLS_TEXTS)
		rank = text_ranks_get(&o->texts, place);
	else if (*group == CELLS_NUMBERS)
		rank = cell_order_number(o, &cell);
	return o->falling ? ~rank : rank;
}

void cell_order_free(struct cell_order *o)
{
	text_ranks_free(&o->texts);
}
