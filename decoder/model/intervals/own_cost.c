#include "own_cost.h"

#include "elapsed.h"

void own_cost_subtract(struct interval *iv, const struct trace *t)
{
	const struct trace_file *f = trace_file(t, iv->file);
	uint64_t cost = own_cost_of(iv);

	if (cost > iv->elapsed)
		cost = iv->elapsed;
	if (!cost)
		return;
	iv->elapsed -= cost;
	elapsed_set_ns(iv, f);
	if (iv->on_cpu_ns == NOT_MEASURED)
		return;
	uint64_t ns = exact_round(trace_duration_ns(f, cost));
	iv->on_cpu_ns = iv->on_cpu_ns > ns ? iv->on_cpu_ns - ns : 0;
}
