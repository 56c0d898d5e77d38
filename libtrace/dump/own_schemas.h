/*
 * The schemas of the library's own hooks (formats/), as they were when this was built
 * (formats/embed.cmake). Every dump begins with them, one after the other.
 */
#ifndef SWT_DUMP_OWN_SCHEMAS_H
#define SWT_DUMP_OWN_SCHEMAS_H

extern const unsigned char swtrace_cpi_schema[];
extern const unsigned swtrace_cpi_schema_size;
extern const unsigned char swtrace_interval_schema[];
extern const unsigned swtrace_interval_schema_size;
extern const unsigned char swtrace_scope_schema[];
extern const unsigned swtrace_scope_schema_size;
extern const unsigned char swtrace_cpuutil_schema[];
extern const unsigned swtrace_cpuutil_schema_size;
extern const unsigned char swtrace_counters_schema[];
extern const unsigned swtrace_counters_schema_size;

static inline unsigned own_schemas_size(void)
{
	return swtrace_cpi_schema_size + swtrace_interval_schema_size + swtrace_scope_schema_size +
	       swtrace_cpuutil_schema_size + swtrace_counters_schema_size;
}

#endif
