#include "inherit.h"

#include <stdlib.h>

#include "cpc.h"

/* Data for the new thread. A copy: the creator's set may be gone before the thread runs. */
struct heritage {
	void *(*start)(void *);
	void *argument;
	cpc_errhndlr_t *handler;
	struct requests *requests;
	uint64_t set;
	unsigned count;
};

/* Leave the binding frozen, notifying requests at UINT64_MAX: the thread's SIGEMT handler presets
 * them. */
static int wait_for_preset(struct binding *b, void *address)
{
	for (unsigned i = 0; i < b->notifying; i++)
		b->start[b->request_of[i]] = UINT64_MAX;
	b->frozen = true;
	return overflow_tell(address);
}

static void bind_copy(const struct heritage *h)
{
	struct binding *b = binding_copy(h->requests, h->set, h->count);
	char why[EVENT_WHY_MAX] = "";
	int rc;

	if (!b) {
		cpc_tell(h->handler, "pthread_create", EAGAIN, CPC_RESOURCE_UNAVAIL,
			"the new thread's set: out of memory");
		return;
	}
	b->handler = h->handler;
	b->inherit = true;
	cpc_lock();
	rc = binding_open_here(b, why);
	binding_list(b);
	binding_set_mine(b);
	cpc_unlock();
	if (rc == 0)
		rc = b->notifying ? wait_for_preset(b, (void *)(uintptr_t)h->start)
				  : counting_restart(b);
	if (rc == 0)
		return;
	/* Keep the binding, so that samples fail with EAGAIN. */
	b->invalid = true;
	cpc_tell(h->handler, "pthread_create", -rc, CPC_RESOURCE_UNAVAIL,
		"cannot count in the new thread: %s",
		*why ? why : "the counters are not available");
}

static void *inherit_run_thread(void *heritage)
{
	struct heritage h = *(struct heritage *)heritage;

	free(heritage);
	bind_copy(&h);
	requests_drop(h.requests);
	return h.start(h.argument);
}

int inherit_create(create_fn *create, pthread_t *thread, const pthread_attr_t *attr,
	void *(*start)(void *), void *argument)
{
	const struct binding *b = binding_mine();
	struct heritage *h;
	int rc;

	if (!b || !b->inherit)
		return create(thread, attr, start, argument);
	h = malloc(sizeof *h);
	if (!h)
		return EAGAIN;
	*h = (struct heritage){start, argument, b->handler, b->requests, b->set, b->count};
	atomic_fetch_add(&h->requests->users, 1);
	rc = create(thread, attr, inherit_run_thread, h);
	if (rc) {
		requests_drop(h->requests);
		free(h);
	}
	return rc;
}
