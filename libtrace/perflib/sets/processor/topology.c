#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "processor.h"

/* Matches a prefix and a number only, such as "cpu12". */
static bool topology_parse_name(const char *name, const char *prefix, uint64_t *number)
{
	struct scan t = scan_of(name, strlen(name));

	return scan_skip(&t, prefix) && scan_number(&t, number) && t.at == t.end;
}

/* Includes offline processors, so that ranks in the node do not change. */
static void read_node(struct topology *t, const char *nodes, uint32_t node)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *dir;

	if (snprintf(path, sizeof path, "%s/node%u", nodes, node) >= (int)sizeof path)
		return;
	dir = opendir(path);
	while (dir && (e = readdir(dir)) != NULL) {
		uint64_t cpu;

		if (topology_parse_name(e->d_name, "cpu", &cpu) && cpu < ONLINE_MAX)
			t->cpu[cpu].node = node;
	}
	if (dir)
		closedir(dir);
}

static void read_nodes(struct topology *t, const char *sys)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *dir;

	if (snprintf(path, sizeof path, "%s/devices/system/node", sys) >= (int)sizeof path)
		return;
	dir = opendir(path);
	while (dir && (e = readdir(dir)) != NULL) {
		uint64_t node;

		if (topology_parse_name(e->d_name, "node", &node) && node < ONLINE_MAX)
			read_node(t, path, (uint32_t)node);
	}
	if (dir)
		closedir(dir);
}

/* Ranks the processors in their nodes, and lists the nodes that have any. */
static void topology_index_nodes(struct topology *t)
{
	uint32_t members[ONLINE_MAX] = {0};

	for (uint32_t cpu = 0; cpu < ONLINE_MAX; cpu++)
		if (t->cpu[cpu].node != NODE_NONE)
			t->cpu[cpu].index = members[t->cpu[cpu].node]++;
	t->nodes = 0;
	for (uint32_t node = 0; node < ONLINE_MAX; node++)
		if (members[node])
			t->node[t->nodes++] = node;
}

void topology_read(struct topology *t, const char *sys, const struct cpu_set *online)
{
	for (uint32_t cpu = 0; cpu < ONLINE_MAX; cpu++)
		t->cpu[cpu].node = NODE_NONE;
	read_nodes(t, sys);
	for (uint32_t cpu = 0; cpu < online->end; cpu++)
		if (cpu_set_has(online, cpu) && t->cpu[cpu].node == NODE_NONE)
			t->cpu[cpu].node = 0;
	topology_index_nodes(t);
}
