#include "made_up_sysfs.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../libtrace/counters/perf/core_types.h"
#include "../lib/folder.h"

#define DEVICES "bus/event_source/devices"

static char root[64];

/* Each test is a process of its own, which ends by exit. */
static void remove_all(void)
{
	folder_remove(root);
}

static void make_root(void)
{
	if (*root)
		return;
	strcpy(root, "/tmp/swtrace-sysfs-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	atexit(remove_all);
}

const char *sysfs_root(void)
{
	make_root();
	return root;
}

void sysfs_put_below_root(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	make_root();
	snprintf(path, sizeof path, "%s/%s", root, name);
	for (char *p = path + strlen(root); (p = strchr(p + 1, '/'));) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

void sysfs_put(const char *name, const char *text)
{
	char below[200];

	snprintf(below, sizeof below, DEVICES "/%s", name);
	sysfs_put_below_root(below, text);
}

void sysfs_use(void)
{
	make_root();
	/* Once, so that the first who asks does not read this machine's. */
	core_types();
	core_types_read(root);
}

void sysfs_put_hybrid(const char *core, const char *atom)
{
	sysfs_put("cpu_core/type", "40\n");
	sysfs_put("cpu_core/cpus", core);
	sysfs_put("cpu_atom/type", "41\n");
	sysfs_put("cpu_atom/cpus", atom);
}

void sysfs_put_msr(void)
{
	sysfs_put("msr/type", "60\n");
	sysfs_put("msr/events/mperf", "event=0x02\n");
}
