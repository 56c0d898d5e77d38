/*
 * Whether every line of standard input is one JSON value (RFC 8259) and nothing else. Exit
 * code 0 or 1, and a line that says where it is not.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *at;

static bool value(int depth);

static void blank(void)
{
	at += strspn(at, " \t\r");
}

static bool take(char c)
{
	blank();
	if (*at != c)
		return false;
	at++;
	return true;
}

static bool string(void)
{
	if (!take('"'))
		return false;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return false;
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u') {
			for (int i = 0; i < 4; i++)
				if (!isxdigit((unsigned char)*++at))
					return false;
		} else if (!*at || !strchr("\"\\/bfnrt", *at)) {
			return false;
		}
	}
	at++;
	return true;
}

static bool digits(void)
{
	size_t n = strspn(at, "0123456789");

	at += n;
	return n > 0;
}

static bool number(void)
{
	if (*at == '-')
		at++;
	if (*at == '0' && isdigit((unsigned char)at[1]))
		return false;
	if (!digits())
		return false;
	if (*at == '.') {
		at++;
		if (!digits())
			return false;
	}
	if (*at != 'e' && *at != 'E')
		return true;
	at++;
	at += *at == '+' || *at == '-';
	return digits();
}

static bool members(char end, bool keys, int depth)
{
	if (take(end))
		return true;
	do {
		if (keys && (!string() || !take(':')))
			return false;
		if (!value(depth + 1))
			return false;
	} while (take(','));
	return take(end);
}

static bool word(const char *text)
{
	size_t n = strlen(text);

	if (strncmp(at, text, n) != 0)
		return false;
	at += n;
	return true;
}

static bool value(int depth)
{
	blank();
	if (depth > 20)
		return false;
	switch (*at) {
	case '{':
		at++;
		return members('}', true, depth);
	case '[':
		at++;
		return members(']', false, depth);
	case '"':
		return string();
	case 't':
		return word("true");
	case 'f':
		return word("false");
	case 'n':
		return word("null");
	default:
		return number();
	}
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	unsigned count = 0;
	ssize_t n;

	while ((n = getline(&line, &room, stdin)) > 0) {
		count++;
		bool ended = line[n - 1] == '\n';
		line[n - 1] = ended ? 0 : line[n - 1];
		at = line;
		bool good = ended && value(0);
		blank();
		if (!good || at != line + n - 1) {
			printf("line %u, byte %ld: not JSON\n", count, (long)(at - line));
			return 1;
		}
	}
	free(line);
	if (count == 0)
		puts("no line at all");
	return count == 0;
}
