/*
 * The container that a process is in: its PID namespace, by inode, and the name of its cgroup, by a
 * number of the session's table. Thread ids of two PID namespaces are equal by nature, so files and
 * reports need both to distinguish tasks.
 *
 * 0: unknown. Called with attach.c's lock held and signals blocked, or by the owner.
 * Allocates nothing, as a hook may come here.
 */
#ifndef SWT_SESSION_CONTAINER_H
#define SWT_SESSION_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "session.h"

/* The inode of this process's PID namespace. For the owner, with the device of its /proc. */
uint32_t container_pid_namespace(void);
uint64_t container_proc_device(void);
uint64_t container_cgroup_namespace(void);
/* The same for the calling thread of a member; cheap where it is the owner's. */
uint32_t container_of_thread(const struct shm_control *owner);

/*
 * The number of the name of this process's cgroup in the table of the owner's generation, in the
 * open directory, appended if it is not there. is_home: it is in the owner's PID namespace. The
 * host's name, which container runtimes set, replaces one that a cgroup namespace hides ("/"), and
 * in another PID namespace the owner's own.
 */
uint32_t container_cgroup(int dir, const struct shm_control *owner, bool is_home,
	uint32_t generation, const struct session_location *location);

/* Appends the name of the owner's to the open file, as the first: SHM_CGROUP_OWNER. */
void container_add_owner(int fd);

#endif
