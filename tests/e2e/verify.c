/*
 * Reads `cpidecode --report hooks --format json` of what writers wrote and checks it hook by
 * hook: contents, order within a thread, time, pid and tid of one thread the same throughout.
 *
 * usage: verify all|suffix PROCESSES THREADS HOOKS < hooks.json
 *	all	every hook of every thread is there once
 *	suffix	some may be missing (overwritten), but order and contents hold
 * Prints how many hooks it saw.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seen {
	uint32_t next, tid;
	int started;
};

static const char *after(const char *line, const char *key)
{
	const char *p = strstr(line, key);

	return p ? p + strlen(key) : NULL;
}

static int fail(const char *what, const char *line)
{
	printf("verify: %s: %.200s\n", what, line);
	return 1;
}

int main(int argc, char **argv)
{
	static char line[1 << 16];
	int64_t last_time = INT64_MIN;
	uint64_t total = 0;

	if (argc < 5)
		return 2;
	int all = strcmp(argv[1], "all") == 0;
	uint32_t processes = (uint32_t)atoi(argv[2]), threads = (uint32_t)atoi(argv[3]);
	uint32_t hooks = (uint32_t)atoi(argv[4]);
	struct seen *seen = calloc((size_t)(processes + 1) * threads, sizeof *seen);

	while (fgets(line, sizeof line, stdin)) {
		const char *words = after(line, "\"words\":["), *tid = after(line, "\"tid\":");
		const char *time = after(line, "\"time_ns\":"), *strings;
		uint32_t p, t, i, n;

		if (!after(line, "\"major\":66,"))
			continue;
		if (!words || !tid || !time ||
			sscanf(words, "%" SCNu32 ",%" SCNu32 ",%" SCNu32 ",%" SCNu32 "]", &p, &t,
				&i, &n) != 4)
			return fail("no hook of ours", line);
		if (p > processes || t >= threads || i >= hooks || n != ~i)
			return fail("words", line);
		struct seen *s = &seen[p * threads + t];
		if (all ? i != s->next : i < s->next)
			return fail("order", line);
		s->next = i + 1;
		if (s->started && s->tid != (uint32_t)strtoul(tid, NULL, 10))
			return fail("tid", line);
		s->started = 1;
		s->tid = (uint32_t)strtoul(tid, NULL, 10);
		if (strtoll(time, NULL, 10) < last_time)
			return fail("time", line);
		last_time = strtoll(time, NULL, 10);
		strings = after(line, "\"strings\":[");
		if (i % 16 == 0) {
			char want[96];

			snprintf(want, sizeof want, "\"p%u t%u %u\xef\xbf\xbd\"]", p, t, i);
			if (!strings || strncmp(strings, want, strlen(want)) != 0)
				return fail("string", line);
		} else if (!strings || *strings != ']') {
			return fail("strings", line);
		}
		total++;
	}
	if (all && total % hooks != 0)
		return fail("number", "hooks are missing");
	printf("%" PRIu64 "\n", total);
	free(seen);
	return 0;
}
