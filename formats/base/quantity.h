/*
 * Decimal numbers and numbers with units on a command line: durations in ns, sizes in bytes. Exact,
 * parts below one are cut off. A false return leaves the value unspecified. Prefixes of units.
 */
#ifndef SWT_FORMATS_BASE_QUANTITY_H
#define SWT_FORMATS_BASE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quantity_form {
	QUANTITY_WHOLE_POINT = 1,  /* digits on both sides of a point, not "1." or ".5" */
	QUANTITY_ANY_CASE = 2,	   /* units in either case */
	QUANTITY_BARE_SECONDS = 4, /* a duration without a unit is in seconds */
	QUANTITY_DAYS = 8,	   /* durations have the unit d, too */
};

/*
 * The decimal number at *p, times unit, at most `most`; moves *p behind it. The number ends at
 * `end` or at a character that does not continue it.
 */
bool quantity_scan_decimal(const char **p, const char *end, unsigned form, uint64_t unit,
	uint64_t most, uint64_t *value);

/* Digits, and more behind a point, at *at, which ends in a NUL; moves *at behind them. The nearest
 * double up to 2^53 of them and 22 behind the point. False: none, or beyond doubles. */
bool quantity_scan_real(const char **at, double *real);

/* All of text: a decimal number and ns, us, ms, s, m (or min) or h, with or without blanks before
 * the unit, as reports print them. */
bool quantity_parse_duration(
	const char *text, size_t size, unsigned form, uint64_t most, uint64_t *ns);

/* The ns of a unit of durations, by its name; 0: none. */
uint64_t quantity_duration_unit(const char *name);

/* All of text: an integer, and K, M or G of 1024 each or nothing. */
bool quantity_parse_size(const char *text, unsigned form, uint64_t most, uint64_t *bytes);

/* Divides by 1000 until the value prints as less than that with one decimal. Returns the SI prefix
 * of its unit then: "", "k" to "E". */
const char *quantity_scale(double *value);

#endif
