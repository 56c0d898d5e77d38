/* A watch's copy of the session's labels: grows as hooks state numbers that it does not have. */
#ifndef SWT_TRIGGER_LABELS_H
#define SWT_TRIGGER_LABELS_H

#include "../session/session.h"

/* Starts zeroed but for session. */
struct label_copy {
	const struct session *session; /* NULL: there are no labels */
	uint8_t *bytes;
	size_t room;
	uint32_t used;
};

/* False: the session has no such label. Members wrote the table: the text may be any bytes. Valid
 * until the next call. */
bool label_copy_find(struct label_copy *c, uint32_t number, const uint8_t **text, uint32_t *length);
void label_copy_free(struct label_copy *c);

#endif
