#include "proc_field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool proc_line_has_name(const char *line, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(line, name, length) == 0 &&
	       line[length + strspn(line + length, " \t")] == ':';
}

bool proc_field_read(const char *path, const char *name, char *value, size_t size)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool is_found = false;

	value[0] = 0;
	while (f && !is_found && getline(&line, &room, f) > 0)
		is_found = proc_line_has_name(line, name);
	if (is_found) {
		const char *at = strchr(line, ':') + 1;

		at += strspn(at, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
	}
	free(line);
	if (f)
		fclose(f);
	return is_found;
}
