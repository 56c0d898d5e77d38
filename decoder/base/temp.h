/* Where what does not fit into memory waits. */
#ifndef SWT_DECODER_BASE_TEMP_H
#define SWT_DECODER_BASE_TEMP_H

/*
 * A file without a name in TMPDIR, else /var/tmp, else /tmp, gone when it is closed. The
 * descriptor, or -1 with errno set (then CPIDECODE_ESPOOL is the code to return).
 */
int io_temp_file(void);

#endif
