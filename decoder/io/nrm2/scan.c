/* Reading the file: a window of it, its damage and progress. */
#include "../../base/grow.h"
#include "scan.h"

enum { PROGRESS_STEP = 4 << 20 };

int nrm2_peek(struct nrm2_scan *s, uint64_t at, size_t n, const uint8_t **p, size_t *got)
{
	*got = 0;
	if (at >= s->size)
		return 0;
	if (n > s->size - at)
		n = (size_t)(s->size - at);
	if (at < s->window_at || at + n > s->window_at + s->window_len) {
		int rc = io_read(s->in, at, s->window, s->window_cap, &s->window_len);

		if (rc)
			return rc;
		s->window_at = at;
		if (s->window_len < n) /* the file is shorter than it was */
			s->size = at + s->window_len;
	}
	uint64_t there = s->window_at + s->window_len - at;
	*p = s->window + (at - s->window_at);
	*got = there < n ? (size_t)there : n;
	return 0;
}

int nrm2_damage(struct nrm2_scan *s, uint64_t at, uint64_t bytes, const char *why)
{
	struct io_import *im = s->import;

	im->damaged_bytes += bytes;
	if (im->ndamage == IO_MAX_DAMAGE) {
		im->damage_untold++;
		return 0;
	}
	if (array_grow(&im->damage, im->ndamage, &s->damage_cap, sizeof *im->damage))
		return CPIDECODE_ENOMEM;
	im->damage[im->ndamage++] = (struct io_damage){.offset = at, .bytes = bytes, .why = why};
	return 0;
}

int nrm2_progress(struct nrm2_scan *s, uint64_t at)
{
	if (!s->progress || at < s->reported + PROGRESS_STEP)
		return 0;
	s->reported = at;
	return s->progress(s->progress_ctx, at, s->size) ? 0 : CPIDECODE_ECANCELED;
}
