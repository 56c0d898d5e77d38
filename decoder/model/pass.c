#include "pass.h"

#include <stdlib.h>

#include "../../include/cpidecode.h"

enum { PROGRESS_HOOKS = 1 << 16 };

struct pass_slice {
	const struct pass *pass;
	struct hook_iter *it;
	uint64_t hooks;
};

int pass_next(struct pass_slice *s, const struct hook **h)
{
	const struct pass *p = s->pass;
	if (p->progress && ++s->hooks % PROGRESS_HOOKS == 0) {
		uint64_t done, total;
		hook_iter_progress(s->it, &done, &total);
		if (!p->progress(p->ctx, done, total))
			return CPIDECODE_ECANCELED;
	}
	return hook_iter_next(s->it, h);
}

unsigned pass_thread(const struct pass_slice *s)
{
	(void)s;
	return 0;
}

size_t pass_index(const struct pass_slice *s)
{
	(void)s;
	return 0;
}

int pass_turn(struct pass_slice *s)
{
	(void)s;
	return 0;
}

unsigned pass_threads(const struct pass *p)
{
	(void)p;
	return 1;
}

int pass_run(const struct pass *p, struct findings *found)
{
	struct pass_slice s = {.pass = p};
	int rc = hook_iter_open(p->trace, &s.it);
	if (rc)
		return rc;
	if (p->from_ns != INT64_MIN || p->to_ns != INT64_MAX)
		hook_iter_range(s.it, p->from_ns, p->to_ns);
	rc = p->read(p->ctx, &s);
	if (found) {
		int failed = findings_add(found, p->trace, s.it);
		rc = rc ? rc : failed;
	}
	hook_iter_close(s.it);
	return rc;
}
