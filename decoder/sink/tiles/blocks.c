#include "blocks.h"

#include <errno.h>
#include <pthread.h>

#define ZLIB_CONST
#include <zlib.h>

#include "../../../formats/base/threads.h"

enum {
	BLOCKS_WAITING = 64,
	BLOCKS_WAITING_BYTES = 16 << 20,
	BLOCKS_PIECE = 1 << 16,
	/* Level 1 needs a third of the default level's time, and some 15 % more room. */
	BLOCKS_LEVEL = 1,
	BLOCKS_MEMORY = 9,
};

struct blocks {
	struct out *to;
	z_stream z;
	uint32_t *sizes;
	size_t count, room; /* of sizes, the thread's */
	int error;	    /* the thread's */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* A ring of blocks under the lock: */
	struct buffer waiting[BLOCKS_WAITING];
	size_t first, held, held_bytes;
	bool is_ending;
	bool is_running; /* the thread; the owner's */
	bool has_failed; /* adding a block, for lack of memory; the owner's */
	uint32_t put;	 /* the owner's */
	unsigned char piece[BLOCKS_PIECE];
};

static void blocks_fail(struct blocks *b, int error)
{
	if (!b->error)
		b->error = error;
}

static void blocks_pack(struct blocks *b, const struct buffer *block)
{
	z_stream *z = &b->z;
	size_t size = 0;
	int state = Z_OK;

	if (!array_reserve(&b->sizes, &b->room, b->count + 1, sizeof *b->sizes))
		blocks_fail(b, ENOMEM);
	if (b->error)
		return;
	z->next_in = block->p;
	z->avail_in = (uInt)block->n;
	while (state == Z_OK) {
		z->next_out = b->piece;
		z->avail_out = sizeof b->piece;
		state = deflate(z, Z_FINISH);
		out_bytes(b->to, (const char *)b->piece, sizeof b->piece - z->avail_out);
		size += sizeof b->piece - z->avail_out;
	}
	if (state != Z_STREAM_END)
		blocks_fail(b, EIO);
	if (b->to->error)
		blocks_fail(b, b->to->error);
	deflateReset(z);
	b->sizes[b->count++] = (uint32_t)size;
}

static void *blocks_run(void *ctx)
{
	struct blocks *b = ctx;

	for (;;) {
		pthread_mutex_lock(&b->lock);
		while (!b->held && !b->is_ending)
			pthread_cond_wait(&b->changed, &b->lock);
		if (!b->held)
			break;
		struct buffer block = b->waiting[b->first];
		pthread_mutex_unlock(&b->lock);

		blocks_pack(b, &block);
		free(block.p);
		pthread_mutex_lock(&b->lock);
		b->first = (b->first + 1) % BLOCKS_WAITING;
		b->held--;
		b->held_bytes -= block.n;
		pthread_cond_signal(&b->changed);
		pthread_mutex_unlock(&b->lock);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

struct blocks *blocks_new(struct out *to)
{
	struct blocks *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	b->to = to;
	/* Negative window bits: raw deflate, without a header that the page would skip. */
	if (deflateInit2(&b->z, BLOCKS_LEVEL, Z_DEFLATED, -MAX_WBITS, BLOCKS_MEMORY,
		    Z_DEFAULT_STRATEGY) != Z_OK) {
		free(b);
		return NULL;
	}
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	b->is_running = !thread_start(&b->thread, 0, blocks_run, b);
	if (b->is_running)
		return b;
	blocks_free(b);
	return NULL;
}

uint32_t blocks_put(struct blocks *b, struct buffer *block)
{
	if (block->failed || b->put == UINT32_MAX) {
		b->has_failed = true;
		free(block->p);
		*block = (struct buffer){0};
		return b->put;
	}
	pthread_mutex_lock(&b->lock);
	/* Admit a block larger than the limit when the queue is empty. */
	while (b->held == BLOCKS_WAITING ||
		(b->held && b->held_bytes + block->n > BLOCKS_WAITING_BYTES))
		pthread_cond_wait(&b->changed, &b->lock);
	b->waiting[(b->first + b->held++) % BLOCKS_WAITING] = *block;
	b->held_bytes += block->n;
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
	*block = (struct buffer){0};
	return b->put++;
}

int blocks_end(struct blocks *b)
{
	if (b->is_running) {
		pthread_mutex_lock(&b->lock);
		b->is_ending = true;
		pthread_cond_signal(&b->changed);
		pthread_mutex_unlock(&b->lock);
		pthread_join(b->thread, NULL);
		b->is_running = false;
	}
	return b->has_failed ? ENOMEM : b->error;
}

const uint32_t *blocks_sizes(const struct blocks *b, uint32_t *count)
{
	*count = (uint32_t)b->count;
	return b->sizes;
}

void blocks_free(struct blocks *b)
{
	if (!b)
		return;
	blocks_end(b);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	deflateEnd(&b->z);
	free(b->sizes);
	free(b);
}
