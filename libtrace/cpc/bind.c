/*
 * Binding sets to threads and CPUs.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../core/online.h"
#include "cpc.h"
#include "pin.h"

/* Checks the arguments that every kind of binding shares. `mine`: the set may be bound to the
 * calling thread already. */
static bool may_bind(const cpc_t *cpc, const cpc_set_t *set, uint_t flags, uint_t known, bool mine,
	const char *fn)
{
	const struct binding *b;

	if (!cpc_has_set(cpc, set, fn))
		return false;
	b = atomic_load(&set->bound);
	if (flags & ~known)
		cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "unknown flags 0x%x", flags & ~known);
	else if (set->requests->count == 0)
		cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "the set has no requests");
	else if (b && !(mine && b == binding_mine()))
		cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "the set is bound already, to %s %d",
			atomic_load(&set->where) == TO_CPU ? "CPU" : "thread",
			atomic_load(&set->whom));
	else
		return true;
	return false;
}

static const char *set_find_notify_event(const cpc_set_t *set)
{
	for (unsigned i = 0; i < set->requests->count; i++)
		if (set->requests->request[i].flags & CPC_OVF_NOTIFY_EMT)
			return set->requests->request[i].event;
	return NULL;
}

static bool may_notify(const cpc_t *cpc, const cpc_set_t *set, const char *fn)
{
	const char *event = set_find_notify_event(set);

	if (event)
		cpc_tell(cpc_handler(cpc), fn, EINVAL, CPC_REQ_INVALID_FLAGS,
			"%s: CPC_OVF_NOTIFY_EMT is for cpc_bind_curlwp only", event);
	return !event;
}

static struct binding *out_of_memory(const cpc_t *cpc, const char *fn)
{
	cpc_tell(cpc_handler(cpc), fn, EAGAIN, CPC_RESOURCE_UNAVAIL, "out of memory");
	return NULL;
}

/* Call without the lock: the error handler may call any libcpc function. */
static int bind_report_error(const cpc_t *cpc, const char *fn, int rc, const char *why)
{
	if (rc == 0)
		return 0;
	return cpc_tell(cpc_handler(cpc), fn, -rc,
		rc == -EACCES || rc == -ESRCH ? 0 : CPC_RESOURCE_UNAVAIL, "%s", why);
}

/* An open group may still be off the counters if other users hold them; only a read reveals it. */
static int bind_start_counting(struct binding *b, char why[EVENT_WHY_MAX])
{
	struct perf_group_reading r;
	int rc = counting_restart(b);

	if (rc == 0)
		rc = perf_group_read(&b->group, &r);
	if (rc)
		snprintf(why, EVENT_WHY_MAX, "the counters are not available now: %s",
			strerror(-rc));
	return rc ? -EAGAIN : 0;
}

/* ---------------------------------------------------------------- the calling thread */

int binding_open_here(struct binding *b, char why[EVENT_WHY_MAX])
{
	int rc = registry_check(&b->generation, why);

	if (rc == 0)
		rc = counting_open(b, 0, -1, why);
	if (rc)
		return rc;
	if (b->notifying > 0) {
		rc = overflow_prepare();
		if (rc == 0)
			rc = overflow_direct(b);
		if (rc) {
			snprintf(why, EVENT_WHY_MAX, "overflow cannot be signalled: %s",
				strerror(-rc));
			return -ENOTSUP;
		}
	}
	perf_group_map(&b->group);
	return 0;
}

int cpc_bind_curlwp(cpc_t *cpc, cpc_set_t *set, uint_t flags)
{
	char why[EVENT_WHY_MAX] = "";
	struct binding *b, *mine;
	int rc;

	if (!may_bind(cpc, set, flags, CPC_BIND_LWP_INHERIT, true, __func__))
		return -1;
	if ((flags & CPC_BIND_LWP_INHERIT) && !inherit_possible())
		return cpc_fail(cpc, ENOTSUP, 0,
			"CPC_BIND_LWP_INHERIT: cannot intercept pthread_create: libcpc was loaded too late, or ThreadSanitizer intercepts it first");
	b = binding_new(set, TO_THREAD);
	if (!b)
		return out_of_memory(cpc, __func__), -1;
	b->inherit = flags & CPC_BIND_LWP_INHERIT;
	cpc_lock();
	mine = binding_mine();
	if (mine)
		binding_end(mine);
	rc = binding_open_here(b, why);
	if (rc == 0) {
		binding_list(b);
		binding_set_mine(b);
		rc = bind_start_counting(b, why);
	}
	if (rc)
		binding_end(b);
	cpc_unlock();
	return bind_report_error(cpc, __func__, rc, why);
}

/* ----------------------------------------------------------------- another's thread */

static bool is_thread_of(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d", (int)pid, (int)tid);
	return access(path, F_OK) == 0;
}

static int bind_other(struct binding *b, char why[EVENT_WHY_MAX])
{
	int rc = registry_check(&b->generation, why);

	if (rc == 0)
		rc = counting_open(b, b->tid, -1, why);
	return rc ? rc : bind_start_counting(b, why);
}

int cpc_bind_pctx(cpc_t *cpc, pctx_t *pctx, id_t id, cpc_set_t *set, uint_t flags)
{
	char why[EVENT_WHY_MAX] = "";
	struct binding *b;
	int rc;

	if (!may_bind(cpc, set, flags, 0, false, __func__) || !may_notify(cpc, set, __func__))
		return -1;
	if (!pctx)
		return cpc_fail(cpc, EINVAL, 0,
			"pctx is NULL: pass a handle, or the address of a process id");
	if (*pctx <= 0 || (id_t)(pid_t)id != id || (pid_t)id < 0 ||
		(id && !is_thread_of(*pctx, (pid_t)id)))
		return cpc_fail(cpc, ESRCH, 0, "process %d has no thread %u", (int)*pctx, id);
	b = binding_new(set, TO_OTHER);
	if (!b)
		return out_of_memory(cpc, __func__), -1;
	b->tid = id ? (pid_t)id : *pctx;
	cpc_lock();
	rc = bind_other(b, why);
	if (rc == 0)
		binding_list(b);
	else
		binding_end(b);
	cpc_unlock();
	return bind_report_error(cpc, __func__, rc, why);
}

/* ---------------------------------------------------------------------------- a CPU */

static int check_cpu(const cpc_t *cpc, processorid_t id, const char *fn)
{
	struct cpu_set online;

	if (id < 0 || id >= ONLINE_MAX || (uint32_t)id >= cpus_possible())
		return cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "there is no CPU %d", id);
	cpu_set_online(&online);
	if (!cpu_set_has(&online, (uint32_t)id))
		return cpc_tell(cpc_handler(cpc), fn, ENODEV, 0, "CPU %d is not online", id);
	return 0;
}

/* Opens the counters first: a caller without permission must not invalidate other bindings. */
static int bind_to_cpu(struct binding *b, char why[EVENT_WHY_MAX])
{
	int rc = counting_open(b, -1, b->cpu, why);

	if (rc == 0)
		rc = registry_lock_cpu((unsigned)b->cpu, why);
	if (rc)
		return rc;
	rc = pin_acquire((unsigned)b->cpu);
	if (rc) {
		registry_drop_cpu((unsigned)b->cpu);
		snprintf(why, EVENT_WHY_MAX, "this thread may not run on CPU %d: %s", b->cpu,
			strerror(-rc));
		return rc == -ENOMEM ? -EAGAIN : -EINVAL;
	}
	binding_list(b); /* from here on binding_end releases the CPU */
	return bind_start_counting(b, why);
}

int cpc_bind_cpu(cpc_t *cpc, processorid_t id, cpc_set_t *set, uint_t flags)
{
	char why[EVENT_WHY_MAX] = "";
	struct binding *b;
	int rc;

	if (!may_bind(cpc, set, flags, 0, false, __func__) || !may_notify(cpc, set, __func__) ||
		check_cpu(cpc, id, __func__))
		return -1;
	b = binding_new(set, TO_CPU);
	if (!b)
		return out_of_memory(cpc, __func__), -1;
	b->cpu = id;
	cpc_lock();
	rc = bind_to_cpu(b, why);
	if (rc)
		binding_end(b);
	cpc_unlock();
	return bind_report_error(cpc, __func__, rc, why);
}

/* --------------------------------------------------------------------- bound sets */

/* The calling thread's binding of the set, or a binding to a CPU or another process's thread. NULL
 * if there is neither; the error is reported. */
static struct binding *binding_of(const cpc_t *cpc, const cpc_set_t *set, const char *fn)
{
	struct binding *b = binding_mine();

	if (b && b->set == set->id)
		return b;
	b = atomic_load(&set->bound);
	if (b && atomic_load(&set->where) != TO_THREAD)
		return b;
	if (b)
		cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "the set is bound to another thread, %d",
			atomic_load(&set->whom));
	else
		cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "the set is not bound");
	return NULL;
}

int cpc_unbind(cpc_t *cpc, cpc_set_t *set)
{
	struct binding *b;

	if (!cpc_has_set(cpc, set, __func__))
		return -1;
	b = binding_of(cpc, set, __func__);
	if (!b)
		return -1;
	cpc_lock();
	binding_end(b);
	cpc_unlock();
	return 0;
}

int cpc_set_sample(cpc_t *cpc, cpc_set_t *set, cpc_buf_t *buf)
{
	const char *why = "";
	struct binding *b;
	int rc;

	if (!cpc_has_set(cpc, set, __func__) || !cpc_has_buf(cpc, buf, __func__))
		return -1;
	b = binding_of(cpc, set, __func__);
	if (!b)
		return -1;
	if (buf->set != set->id || buf->count != b->count)
		return cpc_fail(cpc, EINVAL, 0,
			"the buffer was not created for this set with its %u requests", b->count);
	rc = counting_sample(b, buf, &why);
	return rc ? cpc_fail(cpc, -rc, CPC_RESOURCE_UNAVAIL, "%s", why) : 0;
}

/* NULL if the thread has no bound set; the error is reported. */
static struct binding *bind_find_callers(const cpc_t *cpc, const char *fn)
{
	struct binding *b;

	if (!cpc_is(cpc, fn))
		return NULL;
	b = binding_mine();
	if (!b)
		cpc_tell(cpc_handler(cpc), fn, EINVAL, 0, "this thread has no bound set");
	return b;
}

/* A frozen counter shows its new preset at once. */
int cpc_request_preset(cpc_t *cpc, int index, uint64_t preset)
{
	struct binding *b = bind_find_callers(cpc, __func__);
	struct perf_group_reading r;

	if (!b)
		return -1;
	if (index < 0 || (unsigned)index >= b->count)
		return cpc_fail(
			cpc, EINVAL, 0, "there is no request %d: the set has %u", index, b->count);
	b->preset[index] = preset;
	if (!b->frozen || perf_group_read(&b->group, &r) != 0)
		return 0;
	for (unsigned i = 0; i < b->count; i++)
		if (b->request_of[i] == (unsigned)index)
			b->start[index] = preset - r.count[i];
	return 0;
}

static int bind_control_counting(
	const cpc_t *cpc, struct binding *b, int (*what)(struct binding *b), const char *fn)
{
	const char *why = "";
	int rc;

	if (!counting_valid(b, &why))
		return cpc_tell(cpc_handler(cpc), fn, EAGAIN, CPC_RESOURCE_UNAVAIL, "%s", why);
	rc = what(b);
	if (rc)
		return cpc_tell(cpc_handler(cpc), fn, EAGAIN, CPC_RESOURCE_UNAVAIL,
			"the counters cannot be controlled: %s", strerror(-rc));
	return 0;
}

int cpc_set_restart(cpc_t *cpc, cpc_set_t *set)
{
	struct binding *b;

	if (!cpc_has_set(cpc, set, __func__))
		return -1;
	b = bind_find_callers(cpc, __func__);
	if (!b)
		return -1;
	if (b->set != set->id)
		return cpc_fail(cpc, EINVAL, 0, "this thread has another set bound");
	return bind_control_counting(cpc, b, counting_restart, __func__);
}

/* After an overflow froze the set, only cpc_set_restart resumes it. */
static int bind_resume_unfrozen(struct binding *b)
{
	return b->frozen ? 0 : counting_go_on(b);
}

int cpc_enable(cpc_t *cpc)
{
	struct binding *b = bind_find_callers(cpc, __func__);

	return b ? bind_control_counting(cpc, b, bind_resume_unfrozen, __func__) : -1;
}

int cpc_disable(cpc_t *cpc)
{
	struct binding *b = bind_find_callers(cpc, __func__);

	return b ? bind_control_counting(cpc, b, counting_stop, __func__) : -1;
}
