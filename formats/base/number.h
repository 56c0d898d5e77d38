/*
 * Digits and integers in text that need not end in a NUL, whatever the locale.
 */
#ifndef SWT_FORMATS_BASE_NUMBER_H
#define SWT_FORMATS_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The value of a digit in base 10 or 16, either case; -1 if it is none. */
static inline int number_digit(char c, int base)
{
	int value = c >= '0' && c <= '9'   ? c - '0'
		    : c >= 'a' && c <= 'f' ? c - 'a' + 10
		    : c >= 'A' && c <= 'F' ? c - 'A' + 10
					   : -1;

	return value < base ? value : -1;
}

/* How many digits a text begins with. */
static inline size_t number_count_digits(const char *text, int base)
{
	size_t n = 0;

	while (number_digit(text[n], base) >= 0)
		n++;
	return n;
}

/*
 * Scans the digits at *p, which end at `end` or at another character, and moves *p behind them.
 * False: no digit is there, or the number is above `most`; *p and *value are then unspecified.
 */
static inline bool number_scan(
	const char **p, const char *end, int base, uint64_t most, uint64_t *value)
{
	const char *start = *p;

	for (*value = 0; *p < end; (*p)++) {
		int digit = number_digit(**p, base);

		if (digit < 0)
			break;
		if ((uint64_t)digit > most || *value > (most - (uint64_t)digit) / (uint64_t)base)
			return false;
		*value = *value * (uint64_t)base + (uint64_t)digit;
	}
	return *p > start;
}

/* The same in base 10, or in base 16 behind "0x" or "0X". */
static inline bool number_scan_prefixed(
	const char **p, const char *end, uint64_t most, uint64_t *value)
{
	bool is_hex = end - *p > 1 && (*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X');

	*p += is_hex ? 2 : 0;
	return number_scan(p, end, is_hex ? 16 : 10, most, value);
}

/* All of text, in base 10 or 16; NUMBER_PREFIXED: as number_scan_prefixed does. */
enum { NUMBER_PREFIXED = 0 };

static inline bool number_parse(const char *text, int base, uint64_t most, uint64_t *value)
{
	const char *end = text + strlen(text);

	return (base == NUMBER_PREFIXED ? number_scan_prefixed(&text, end, most, value)
					: number_scan(&text, end, base, most, value)) &&
	       text == end;
}

/* The number that text begins with; 0 if there is none up to `most`. */
static inline uint64_t number_at(const char *text, uint64_t most)
{
	uint64_t value;

	return number_scan(&text, text + strlen(text), 10, most, &value) ? value : 0;
}

#endif
