#include "guid.h"

#include "../../formats/base/number.h"

static bool has_dash_before(int byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

bool guid_parse(const char *text, GUID *id)
{
	bool braces = *text == '{';
	uint8_t byte[16];

	text += braces;
	for (int i = 0; i < 16; i++) {
		int high, low;

		if (has_dash_before(i) && *text++ != '-')
			return false;
		high = number_digit(*text, 16);
		low = high < 0 ? -1 : number_digit(text[1], 16);
		if (low < 0)
			return false;
		byte[i] = (uint8_t)(high << 4 | low);
		text += 2;
	}
	if (strcmp(text, braces ? "}" : "") != 0)
		return false;
	id->Data1 = (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 |
		    byte[3];
	id->Data2 = (uint16_t)(byte[4] << 8 | byte[5]);
	id->Data3 = (uint16_t)(byte[6] << 8 | byte[7]);
	memcpy(id->Data4, byte + 8, 8);
	return true;
}
