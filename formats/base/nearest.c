#include "nearest.h"

enum { NEAREST_COMPARED = 128 };

static char nearest_lower_letter(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Edit distance: bytes to insert, remove or replace. Both lengths are at most NEAREST_COMPARED. */
static unsigned nearest_edit_distance(const char *a, size_t m, const char *b, size_t n)
{
	unsigned row[NEAREST_COMPARED + 1];

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 0; i < m; i++) {
		unsigned corner = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned replaced =
				corner + (nearest_lower_letter(a[i]) != nearest_lower_letter(b[j]));
			unsigned other = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;

			corner = row[j + 1];
			row[j + 1] = replaced < other ? replaced : other;
		}
	}
	return row[n];
}

bool nearest_improves(const char *name, size_t length, const char *candidate,
	size_t candidate_length, unsigned *least)
{
	const size_t m = length < NEAREST_COMPARED ? length : NEAREST_COMPARED;
	const size_t n = candidate_length < NEAREST_COMPARED ? candidate_length : NEAREST_COMPARED;
	const size_t longer = length > candidate_length ? length : candidate_length;
	const unsigned distance = nearest_edit_distance(name, m, candidate, n);

	if (distance >= *least || distance > longer * 6 / 10)
		return false;
	*least = distance;
	return true;
}
