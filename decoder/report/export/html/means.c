#include "means.h"

#include <math.h>

static const char *const means_names[TILES_MEANS] = {
	"thread_cpi", "scaled_cpi", "raw_cpi", "busy_pct", "off_cpu_ns"};

void means_read(const struct interval *iv, double values[TILES_MEANS])
{
	const double measured[TILES_MEANS] = {iv->thread_cpi, iv->scaled_cpi, iv->raw_cpi,
		iv->busy_pct, iv->off_cpu_ns == NOT_MEASURED ? NAN : (double)iv->off_cpu_ns};

	for (size_t i = 0; i < TILES_MEANS; i++)
		values[i] = isfinite(measured[i]) ? measured[i] : NAN;
}

void means_write_names(struct json *j)
{
	json_open(j, '[');
	for (size_t i = 0; i < TILES_MEANS; i++)
		json_text(j, means_names[i]);
	json_close(j, ']');
}
