#include "record.h"

bool record_strings_fit(const uint8_t *p, uint32_t left, unsigned n)
{
	while (n--) {
		/* left stays a multiple of 4, so a length that fits also fits with its padding. */
		if (left < 4)
			return false;
		uint32_t length = get_le32(p);
		if (length > left - 4)
			return false;
		uint32_t bytes = rec_string_bytes(length);
		p += bytes;
		left -= bytes;
	}
	return true;
}
