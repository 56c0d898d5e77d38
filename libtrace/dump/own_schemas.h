/*
 * formats/cpi.hooks, as it was when this was built (formats/embed.cmake).
 */
#ifndef SWT_DUMP_CPI_SCHEMA_H
#define SWT_DUMP_CPI_SCHEMA_H

extern const unsigned char swtrace_cpi_schema[];
extern const unsigned swtrace_cpi_schema_size;

#endif
