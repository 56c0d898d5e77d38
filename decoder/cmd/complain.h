/* The command's errors, on stderr. */
#ifndef SWT_DECODER_COMPLAIN_H
#define SWT_DECODER_COMPLAIN_H

/* One line on stderr: "cpidecode: ..." */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints what a library code means for `about`; error is errno at the time of the failure. */
void complain_code(const char *about, int rc, int error);
/* A line that names --help, and exits with EXIT_USAGE. */
void misuse(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
