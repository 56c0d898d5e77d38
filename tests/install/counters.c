/* A program outside the tree uses libcpc: also a thread that inherits its set. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <libcpc.h>

static cpc_t *cpc;
static cpc_set_t *set;

static void *inherits(void *failed)
{
	cpc_buf_t *buf = cpc_buf_create(cpc, set);

	*(int *)failed = cpc_set_sample(cpc, set, buf) != 0;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int failed = 1;

	cpc = cpc_open(CPC_VER_CURRENT);
	if (!cpc)
		return 1;
	set = cpc_set_create(cpc);
	if (!set || cpc_set_add_request(cpc, set, "page-faults", 0, CPC_COUNT_USER, 0, NULL) != 0)
		return 2;
	if (cpc_bind_curlwp(cpc, set, CPC_BIND_LWP_INHERIT) != 0) {
		if (errno != EACCES)
			return 3;
		puts("skipped: counting: this user may not");
		return cpc_close(cpc) == 0 ? 0 : 4;
	}
	if (pthread_create(&thread, NULL, inherits, &failed) != 0)
		return 5;
	pthread_join(thread, NULL);
	if (failed || cpc_unbind(cpc, set) != 0)
		return 6;
	return cpc_close(cpc) == 0 ? 0 : 7;
}
