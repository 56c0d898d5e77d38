/*
 * The dump functions of perfutil.h.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/perfutil.h"
#include "../session/session.h"
#include "dump.h"

static pthread_mutex_t name_lock = PTHREAD_MUTEX_INITIALIZER;
static char default_name[] = "swtrace.bin";
static char *name; /* NULL: default_name */

int TraceSetName(char *file)
{
	if (!file)
		return PU_ERR_NULL_PTR;
	if (!*file)
		return PU_ERROR_INVALID_PARAMETER;
	char *copy = strdup(file);
	if (!copy)
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	pthread_mutex_lock(&name_lock);
	free(name);
	name = copy;
	pthread_mutex_unlock(&name_lock);
	return PU_SUCCESS;
}

char *TraceGetName(void)
{
	pthread_mutex_lock(&name_lock);
	char *current = name ? name : default_name;
	pthread_mutex_unlock(&name_lock);
	return current;
}

char *dump_name(const char *file)
{
	if (file)
		return strdup(file);
	pthread_mutex_lock(&name_lock);
	char *copy = strdup(name ? name : default_name);
	pthread_mutex_unlock(&name_lock);
	return copy;
}

int TraceWriteBufferToFile(const char *file)
{
	struct session_location location;
	struct session s;

	if (file && !*file)
		return PU_ERROR_INVALID_PARAMETER;
	int rc = session_find(&location, NULL);
	if (rc == 0)
		rc = session_open(&s, &location, SESSION_READ, NULL);
	if (rc)
		return rc;
	char *path = dump_name(file);
	struct dump_options options = {.path = path, .codec = TF_CODEC_LZ4};
	rc = path ? dump_write(&s, &options, NULL, NULL) : PU_ERROR_NOT_ENOUGH_MEMORY;
	free(path);
	session_close(&s);
	return rc;
}
