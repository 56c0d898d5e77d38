/*
 * Buffers: samples, their sums and differences.
 */
#include <stdlib.h>
#include <string.h>

#include "cpc.h"

cpc_buf_t *cpc_buf_create(cpc_t *cpc, cpc_set_t *set)
{
	cpc_buf_t *buf;

	if (!cpc_has_set(cpc, set, __func__))
		return NULL;
	buf = calloc(1, sizeof *buf + set->requests->count * sizeof *buf->value);
	if (!buf) {
		cpc_fail(cpc, ENOMEM, 0, "out of memory");
		return NULL;
	}
	buf->magic = BUF_MAGIC;
	buf->cpc = cpc;
	buf->set = set->id;
	buf->count = set->requests->count;
	cpc_lock();
	buf->next = cpc->bufs;
	cpc->bufs = buf;
	cpc_unlock();
	return buf;
}

int cpc_buf_destroy(cpc_t *cpc, cpc_buf_t *buf)
{
	if (!cpc_has_buf(cpc, buf, __func__))
		return -1;
	cpc_lock();
	for (cpc_buf_t **link = &cpc->bufs; *link; link = &(*link)->next)
		if (*link == buf) {
			*link = buf->next;
			break;
		}
	cpc_unlock();
	buf->magic = 0;
	free(buf);
	return 0;
}

static bool has_entry(const cpc_t *cpc, const cpc_buf_t *buf, int index, const char *fn)
{
	if (!cpc_has_buf(cpc, buf, fn))
		return false;
	if (index >= 0 && (unsigned)index < buf->count)
		return true;
	cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "there is no request %d: the buffer has %u",
		index, buf->count);
	return false;
}

int cpc_buf_get(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t *value)
{
	if (!has_entry(cpc, buf, index, __func__))
		return -1;
	if (!value)
		return cpc_fail(cpc, EINVAL, 0, "the pointer to the value is NULL");
	*value = buf->value[index];
	return 0;
}

int cpc_buf_set(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t value)
{
	if (!has_entry(cpc, buf, index, __func__))
		return -1;
	buf->value[index] = value;
	return 0;
}

hrtime_t cpc_buf_hrtime(cpc_t *cpc, cpc_buf_t *buf)
{
	return cpc_has_buf(cpc, buf, __func__) ? buf->hrtime : 0;
}

uint64_t cpc_buf_tick(cpc_t *cpc, cpc_buf_t *buf)
{
	return cpc_has_buf(cpc, buf, __func__) ? buf->tick : 0;
}

static bool same_size(const cpc_t *cpc, const cpc_buf_t *ds, const cpc_buf_t *a, const cpc_buf_t *b,
	const char *fn)
{
	if (!cpc_has_buf(cpc, ds, fn) || !cpc_has_buf(cpc, a, fn) || !cpc_has_buf(cpc, b, fn))
		return false;
	if (ds->count == a->count && ds->count == b->count)
		return true;
	cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "buffers of %u, %u and %u requests", ds->count,
		a->count, b->count);
	return false;
}

static hrtime_t hrtime_max(hrtime_t a, hrtime_t b)
{
	return a > b ? a : b;
}

void cpc_buf_sub(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b)
{
	if (!same_size(cpc, ds, a, b, __func__))
		return;
	ds->hrtime = hrtime_max(a->hrtime, b->hrtime);
	ds->tick = a->tick - b->tick;
	for (unsigned i = 0; i < ds->count; i++)
		ds->value[i] = a->value[i] - b->value[i];
}

void cpc_buf_add(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b)
{
	if (!same_size(cpc, ds, a, b, __func__))
		return;
	ds->hrtime = hrtime_max(a->hrtime, b->hrtime);
	ds->tick = a->tick + b->tick;
	for (unsigned i = 0; i < ds->count; i++)
		ds->value[i] = a->value[i] + b->value[i];
}

void cpc_buf_copy(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *src)
{
	if (!same_size(cpc, ds, src, src, __func__))
		return;
	ds->hrtime = src->hrtime;
	ds->tick = src->tick;
	memmove(ds->value, src->value, ds->count * sizeof *ds->value);
}

void cpc_buf_zero(cpc_t *cpc, cpc_buf_t *buf)
{
	if (!cpc_has_buf(cpc, buf, __func__))
		return;
	buf->hrtime = 0;
	buf->tick = 0;
	memset(buf->value, 0, buf->count * sizeof *buf->value);
}
