/*
 * wellformed people|csv|json|document|folded|svg FILE: whether the file is what it is said to be.
 * Exit status 0, or 1 and a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wellformed.h"

static const struct kind {
	const char *name;
	const char *(*wrong)(const char *p, size_t n, size_t *at);
} kinds[] = {{"people", wrong_for_people}, {"csv", wrong_csv}, {"json", wrong_json_lines},
	{"document", wrong_json}, {"folded", wrong_folded}, {"svg", wrong_svg},
	{"picture", wrong_picture}};

static char *read_whole(const char *path, size_t *n)
{
	FILE *file = fopen(path, "re");
	size_t cap = 1 << 24;
	char *p = malloc(cap);

	if (!file || !p) {
		perror(path);
		exit(2);
	}
	*n = fread(p, 1, cap, file);
	fclose(file);
	return p;
}

int main(int argc, char **argv)
{
	for (unsigned i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++) {
		size_t n, at;

		if (strcmp(argv[1], kinds[i].name))
			continue;
		char *p = read_whole(argv[2], &n);
		const char *wrong = kinds[i].wrong(p, n, &at);
		if (wrong)
			printf("%s: at %zu: %s\n", argv[2], at, wrong);
		free(p);
		return wrong != NULL;
	}
	fputs("usage: wellformed people|csv|json|document|folded|svg FILE\n", stderr);
	return 2;
}
