#include "tree.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../libtrace/events/encoding.h"
#include "../lib/folder.h"

static const struct {
	const char *path, *text; /* below devices/; NULL: a directory; path NULL ends a tree */
} files[TREES][40] = {
	[TREE_NONE] = {{"software/type", "1\n"}},
	[TREE_INTEL] = {{"software/type", "1\n"}, {"cpu/type", "4\n"},
		{"cpu/format/event", "config:0-7\n"}, {"cpu/format/umask", "config:8-15\n"},
		{"cpu/format/edge", "config:18\n"}, {"cpu/format/pc", "config:19\n"},
		{"cpu/format/any", "config:21\n"}, {"cpu/format/inv", "config:23\n"},
		{"cpu/format/cmask", "config:24-31\n"},
		{"cpu/format/offcore_rsp", "config1:0-63\n"},
		{"cpu/format/ldlat", "config1:0-15\n"}, {"cpu/format/frontend", "config1:0-23\n"},
		{"cpu/events/cpu-cycles", "event=0x3c\n"},
		{"cpu/events/instructions", "event=0xc0\n"},
		{"cpu/events/cache-misses", "event=0x2e,umask=0x41\n"},
		{"cpu/events/ref-cycles", "event=0x00,umask=0x03"},
		{"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
		{"cpu/events/slots", "event=0x00,umask=0x4\n"}, {"cpu/events/slots.scale", "2\n"},
		{"cpu/events/slots.unit", "slots\n"}, {"uncore_imc/type", "13\n"},
		{"uncore_imc/format/event", "config:0-7\n"},
		{"uncore_imc/format/chip", "config2:0-3\n"},
		{"uncore_imc/events/reads", "event=0x1,chip=?\n"}, {"msr/type", "9\n"},
		{"msr/format/event", "config:0-63\n"}, {"msr/events/tsc", "event=0x00\n"}},
	[TREE_AMD] = {{"software/type", "1\n"}, {"cpu/type", "4\n"},
		{"cpu/format/event", "config:0-7,32-35\n"}, {"cpu/format/umask", "config:8-15\n"},
		{"cpu/format/edge", "config:18\n"}, {"cpu/format/inv", "config:23\n"},
		{"cpu/format/cmask", "config:24-31\n"}, {"cpu/events/cpu-cycles", "event=0x76\n"},
		{"cpu/events/branch-instructions", "event=0xc2\n"}},
	[TREE_ARM] = {{"software/type", "1\n"}, {"armv8_pmuv3_0/type", "8\n"},
		{"armv8_pmuv3_0/cpus", "0-3\n"}, {"armv8_pmuv3_0/format/event", "config:0-15\n"},
		{"armv8_pmuv3_0/format/long", "config1:0\n"},
		{"armv8_pmuv3_0/format/rdpmc", "config1:1\n"},
		{"armv8_pmuv3_0/format/threshold", "config1:2-13\n"},
		{"armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n"},
		{"armv8_pmuv3_0/events/inst_retired", "event=0x0008\n"}},
	[TREE_HYBRID] = {{"software/type", "1\n"}, {"cpu_core/type", "4\n"},
		{"cpu_core/cpus", "0-7\n"}, {"cpu_core/format/event", "config:0-7\n"},
		{"cpu_core/format/umask", "config:8-15\n"},
		{"cpu_core/format/cmask", "config:24-31\n"},
		{"cpu_core/events/instructions", "event=0xc0\n"}, {"cpu_atom/type", "10\n"},
		{"cpu_atom/cpus", "8-15\n"}, {"cpu_atom/format/event", "config:0-7\n"},
		{"cpu_atom/format/umask", "config:8-15\n"},
		{"cpu_atom/format/cmask", "config:24-31\n"},
		{"cpu_atom/events/instructions", "event=0xc0\n"}},
	/* Malformed files, as no kernel writes them. */
	[TREE_ODD] = {{"software/type", "1\n"}, {"cpu/type", "4\n"},
		{"cpu/format/event", "config:0-7\n"}, {"cpu/format/same", "config:0-3\n"},
		{"cpu/format/backwards", "config:7-0\n"}, {"cpu/format/word", "config9:0-7\n"},
		{"cpu/format/wide", "config:0-64\n"}, {"cpu/format/empty", ""},
		{"cpu/format/text", "hello\n"}, {"cpu/format/folder", NULL},
		{"cpu/events/unknown", "event=1,nosuch=2\n"}, {"cpu/events/big", "event=0x100\n"},
		{"cpu/events/hollow", ""}, {"cpu/events/itself", "itself\n"},
		{"cpu/events/other", "unknown\n"}, {"cpu/events/folder", NULL},
		{"cpu/events/split", "event=1\numask=2\n"}, {"empty/format", NULL},
		{"letters/type", "four\n"}, {"large/type", "4294967296\n"}, {"minus/type", "-1\n"},
		{"folder/type", NULL}},
};

static char root[64];

static void make_file(const char *path, const char *text)
{
	char whole[256];

	snprintf(whole, sizeof whole, "%s", path);
	for (char *p = whole + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(whole, 0755);
		*p = '/';
	}
	if (!text) {
		mkdir(whole, 0755);
		return;
	}
	FILE *f = fopen(whole, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

void trees_make(void)
{
	char path[200];

	snprintf(root, sizeof root, "/tmp/swtrace-event.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	for (int t = 0; t < TREES; t++) {
		for (int i = 0; files[t][i].path; i++) {
			snprintf(path, sizeof path, "%s/%d/bus/event_source/devices/%s", root, t,
				files[t][i].path);
			make_file(path, files[t][i].text);
		}
	}
	/* A file outside, for names that leave the directory. */
	snprintf(path, sizeof path, "%s/outside", root);
	make_file(path, "config:0-7\n");
	snprintf(path, sizeof path, "%s/%d/bus/event_source/type", root, TREE_INTEL);
	make_file(path, "4\n");
}

void trees_remove(void)
{
	event_sysfs_set(NULL);
	folder_remove(root);
}

void tree_use(enum tree tree)
{
	char path[96];

	snprintf(path, sizeof path, "%s/%d", root, (int)tree);
	event_sysfs_set(path);
}
