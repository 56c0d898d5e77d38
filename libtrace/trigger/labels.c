#include "labels.h"

#include <stdlib.h>

#include "../../formats/base/array.h"
#include "../../formats/bytes.h"

/* Reads labels appended since. */
static void label_copy_read_news(struct label_copy *c)
{
	uint32_t used = session_labels_used(c->session), got;

	if (used <= c->used || !array_reserve(&c->bytes, &c->room, used, 1))
		return;
	while (c->used < used && (got = session_read_labels(
					  c->session, c->used, c->bytes + c->used, used - c->used)))
		c->used += got;
}

bool label_copy_find(struct label_copy *c, uint32_t number, const uint8_t **text, uint32_t *length)
{
	uint64_t at = 8 * ((uint64_t)number - 1);

	if (number == 0 || !c->session)
		return false;
	if (at >= c->used)
		label_copy_read_news(c);
	if (at + sizeof(struct shm_text) > c->used)
		return false;
	*length = get_le32(c->bytes + at);
	*text = c->bytes + at + sizeof(struct shm_text);
	return *length && *length <= c->used - at - sizeof(struct shm_text);
}

void label_copy_free(struct label_copy *c)
{
	free(c->bytes);
	*c = (struct label_copy){0};
}
