/* The command's errors, on stderr. */
#ifndef SWT_DECODER_COMPLAIN_H
#define SWT_DECODER_COMPLAIN_H

#include "../../formats/base/expression.h"

/* One line on stderr: "cpidecode: ..." */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints what a library code means for `about`; error is errno at the time of the failure. */
void complain_code(const char *about, int rc, int error);
/* Shows where a condition that an option takes is wrong. */
void complain_expression(
	const char *option, const char *text, const struct expression_error *error);
/* The same, and exits with EXIT_USAGE. */
void misuse_expression(const char *option, const char *text, const struct expression_error *error)
	__attribute__((noreturn));
/* A line that names --help, and exits with EXIT_USAGE. */
void misuse(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
