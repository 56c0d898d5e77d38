/*
 * A provider's file: creates, maps, grows and removes it.
 *
 * Space is allocated before it is mapped, so a full /dev/shm is an error rather than a SIGBUS. The
 * addresses of the largest file are reserved up front as private memory: file contents never move,
 * and a late store beyond the file's end is harmless.
 */
#ifndef SWT_PERFLIB_SHARED_OFFER_FILE_H
#define SWT_PERFLIB_SHARED_OFFER_FILE_H

#include "../directory.h"

struct offer_file {
	uint8_t *
		base; /* of PROV_FILE_MAX reserved bytes, reused by the next file; NULL: none yet */
	void *lock_map; /* mapping that keeps the lock's file description open */
	uint32_t bytes; /* allocated size */
	int fd;		/* for growing; the program may have closed it */
	dev_t device;
	ino_t inode;
	char name[DIRECTORY_NAME_BYTES];
	struct session_location location;
};

/* Removes files of this user's ended providers, creates a new one of PROV_HEADER_BYTES and maps it.
 * ERROR_SUCCESS, ERROR_ACCESS_DENIED, ERROR_NOT_ENOUGH_MEMORY, ERROR_INVALID_PARAMETER
 * (SWTRACE_COUNTERSETS), ERROR_NOT_SUPPORTED (the kernel or the file system lacks file-description
 * locks or MADV_DONTFORK). */
uint32_t offer_file_make(struct offer_file *f, const GUID *provider);

/* Grows the file to at least so many bytes. ERROR_SUCCESS, ERROR_NOT_ENOUGH_MEMORY,
 * ERROR_ACCESS_DENIED. */
uint32_t offer_file_grow(struct offer_file *f, uint32_t bytes);

/* Lets other users read the file, or not. ERROR_SUCCESS, ERROR_ACCESS_DENIED. */
uint32_t offer_file_share(struct offer_file *f, bool everyone);

/* Removes the file. Its addresses remain as private memory that absorbs late stores. */
void offer_file_remove(struct offer_file *f);

/* In a forked child: drops the parent's file. Async-signal-safe. */
void offer_file_forget(struct offer_file *f);

#endif
