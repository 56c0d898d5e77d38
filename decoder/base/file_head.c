#include "file_head.h"

#include <stdio.h>
#include <sys/stat.h>

size_t file_head_read(const char *path, void *head, size_t size)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	size_t n = fread(head, 1, size, f);
	fclose(f);
	return n;
}
