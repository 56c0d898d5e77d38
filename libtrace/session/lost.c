/* Lost hooks by task: reads and bounds-checks the words after the task table. */
#include <stdlib.h>
#include <sys/stat.h>

#include "../../include/perfutil.h"
#include "../ring/reader.h"
#include "session.h"

/* The number of words in use, one for each slot ever used. 0 also for rings of a version without
 * them. */
static uint32_t lost_count_words(const struct session *s)
{
	struct stat st;
	uint64_t used;

	if (s->tasks_fd < 0 || fstat(s->tasks_fd, &st) != 0 ||
		(uint64_t)st.st_size < SHM_TASKS_BYTES ||
		!ring_read_at(
			s->tasks_fd, &used, sizeof used, offsetof(struct shm_task_header, used)))
		return 0;
	return used < SHM_TASK_SLOTS ? (uint32_t)used : SHM_TASK_SLOTS;
}

static int lost_list(const uint64_t *words, uint32_t n, struct session_loss **losses)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += shm_task_lost_hooks(words[i]) != 0;
	*losses = count ? malloc(count * sizeof **losses) : NULL;
	if (count && !*losses)
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	count = 0;
	for (uint32_t i = 0; i < n; i++)
		if (shm_task_lost_hooks(words[i]))
			(*losses)[count++] = (struct session_loss){
				shm_task_lost_number(i, words[i]), shm_task_lost_hooks(words[i])};
	return (int)count;
}

int session_losses(const struct session *s, struct session_loss **losses)
{
	uint32_t n = lost_count_words(s);
	uint64_t *words;
	int rc = PU_ERR_FILE_ERROR;

	*losses = NULL;
	if (n == 0)
		return 0;
	words = malloc(n * sizeof *words);
	if (!words)
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	if (ring_read_at(s->tasks_fd, words, n * sizeof *words, SHM_TASK_LOSSES_OFFSET))
		rc = lost_list(words, n, losses);
	/* Acquire: pairs with the release in ring_count_lost, so that the rings' counters, read
	 * later, include the words' losses. tests/litmus/loss-order.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	free(words);
	return rc;
}
