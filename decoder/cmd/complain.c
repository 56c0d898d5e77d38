#include "complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/options.h"
#include "../../include/cpidecode.h"
#include "../sink/escapes.h"
#include "memory.h"

/* Prints one escaped line to stderr; the names in it may hold any bytes. */
static void __attribute__((format(printf, 1, 0)))
complain_print(const char *format, va_list ap, const char *behind)
{
	struct out line;
	char *text;

	out_memory(&line);
	if (vasprintf(&text, format, ap) >= 0) {
		escape_text(&line, text, strlen(text));
		free(text);
	}
	fprintf(stderr, "cpidecode: %.*s%s\n", (int)line.len, line.buf ? line.buf : "", behind);
	out_discard(&line);
}

void complain(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	complain_print(format, ap, "");
	va_end(ap);
}

void complain_code(const char *about, int rc, int error)
{
	if (rc == CPIDECODE_ENOMEM && memory_lift())
		complain(
			"%s: it takes more memory than --memory allows (allow more, choose less with --label, --from and --to, or report parts with --slice)",
			about);
	else if (rc == CPIDECODE_EOPEN || rc == CPIDECODE_EREAD || rc == CPIDECODE_ESPOOL)
		complain("%s: %s: %s", about, cpidecode_strerror(rc), strerror(error));
	else
		complain("%s: %s", about, cpidecode_strerror(rc));
}

void complain_expression(const char *option, const char *text, const struct expression_error *error)
{
	char shown[EXPRESSION_SHOWN];

	complain("--%s: %s", option, error->text);
	expression_show(text, error, shown);
	fputs(shown, stderr);
}

void misuse_expression(const char *option, const char *text, const struct expression_error *error)
{
	complain_expression(option, text, error);
	exit(EXIT_USAGE);
}

void misuse(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	complain_print(format, ap, " (cpidecode --help explains)");
	va_end(ap);
	exit(EXIT_USAGE);
}
