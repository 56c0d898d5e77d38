/*
 * Counts an event in each LWP (thread) of a program, from its first instruction to its end, as
 * Solaris' cputrack(1) does:
 *
 *	cpc_track EVENT PROGRAM [ARGUMENT ...]
 */
#include <inttypes.h>
#include <libcpc.h>
#include <libpctx.h>
#include <stdio.h>
#include <stdlib.h>

struct track {
	const char *event;
	cpc_t *cpc;
	struct lwp *lwps;
};

/* A set is bound to one LWP at a time, so each LWP has its own. */
struct lwp {
	struct lwp *next;
	id_t id;
	cpc_set_t *set;
};

/* libcpc and libpctx have reported the cause; a nonzero result ends the run. */
static int lwp_begins(pctx_t *pctx, pid_t pid, id_t id, void *arg)
{
	struct track *t = arg;
	struct lwp *l = calloc(1, sizeof *l);

	(void)pid;
	if (!l)
		return -1;
	l->id = id;
	l->next = t->lwps;
	t->lwps = l;
	l->set = cpc_set_create(t->cpc);
	if (!l->set || cpc_set_add_request(t->cpc, l->set, t->event, 0, CPC_COUNT_USER, 0, NULL))
		return -1;
	return cpc_bind_pctx(t->cpc, pctx, id, l->set, 0);
}

static int lwp_ends(pctx_t *pctx, pid_t pid, id_t id, void *arg)
{
	struct track *t = arg;
	struct lwp **link = &t->lwps, *l;
	cpc_buf_t *buf;
	uint64_t n;

	(void)pctx;
	while (*link && (*link)->id != id)
		link = &(*link)->next;
	l = *link;
	if (!l)
		return 0;
	buf = l->set ? cpc_buf_create(t->cpc, l->set) : NULL;
	if (buf && !cpc_set_sample(t->cpc, l->set, buf) && !cpc_buf_get(t->cpc, buf, 0, &n))
		printf("process %d, lwp%u: %" PRIu64 " %s\n", (int)pid, id, n, t->event);
	if (buf)
		cpc_buf_destroy(t->cpc, buf);
	if (l->set)
		cpc_set_destroy(t->cpc, l->set);
	*link = l->next;
	free(l);
	return 0;
}

int main(int argc, char **argv)
{
	struct track t = {.event = argv[1]};
	pctx_t *pctx;
	int rc;

	if (argc < 3) {
		fprintf(stderr, "usage: cpc_track EVENT PROGRAM [ARGUMENT ...]\n");
		return 2;
	}
	t.cpc = cpc_open(CPC_VER_CURRENT);
	pctx = t.cpc ? pctx_create(argv[2], argv + 2, &t, 1, NULL) : NULL;
	if (!pctx)
		return 1;
	rc = pctx_set_events(pctx, PCTX_INIT_LWP_EVENT, lwp_begins, PCTX_FINI_LWP_EVENT, lwp_ends,
		PCTX_NULL_EVENT);
	if (rc == 0)
		rc = pctx_run(pctx, 0, 0, NULL);
	pctx_release(pctx);
	cpc_close(t.cpc);
	return rc ? 1 : 0;
}
