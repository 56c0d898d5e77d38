/* The figures of the last round as an object on a line of its own. */
#ifndef SWT_CMD_TOP_JSON_H
#define SWT_CMD_TOP_JSON_H

#include "../../../decoder/sink/json.h"
#include "state.h"

void top_put_json(struct json *j, const struct top *t);

#endif
