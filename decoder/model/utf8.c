#include "utf8.h"

#include <stdint.h>

/* Bytes that follow a lead byte, or -1; *low and *high bound the first of them. */
static int followers(uint8_t lead, uint8_t *low, uint8_t *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (lead < 0x80)
		return 0;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 1;
	if (lead >= 0xe0 && lead <= 0xef) {
		if (lead == 0xe0)
			*low = 0xa0;
		if (lead == 0xed)
			*high = 0x9f;
		return 2;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		if (lead == 0xf0)
			*low = 0x90;
		if (lead == 0xf4)
			*high = 0x8f;
		return 3;
	}
	return -1;
}

bool utf8_valid(const char *text, size_t length)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + length;
	while (p < end) {
		uint8_t low, high;
		int n = followers(*p++, &low, &high);
		if (n < 0 || end - p < n)
			return false;
		for (; n > 0; n--, p++) {
			if (*p < low || *p > high)
				return false;
			low = 0x80;
			high = 0xbf;
		}
	}
	return true;
}
