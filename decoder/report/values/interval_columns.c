#include "interval_columns.h"

#include <string.h>

#include "../../../formats/base/text.h"
#include "../../../formats/interval_hooks.h"
#include "../../model/intervals/elapsed.h"
#include "../../model/stats/tally/tally.h"
#include "../../sink/escapes.h"

struct cpu_row {
	uint32_t cpu;
	struct interval_cpu counts;
	struct interval_util util;
};

static const struct column cpu_columns[] = {{"cpu", NULL, COLUMN_AT(struct cpu_row, cpu)},
	{"raw_cpi", COLUMN_AT(struct cpu_row, counts.raw_cpi), .decimals = 4},
	{"scaled_cpi", COLUMN_AT(struct cpu_row, counts.scaled_cpi), .decimals = 4},
	{"busy_pct", COLUMN_AT(struct cpu_row, counts.busy_pct), .decimals = 4},
	{"instructions", COLUMN_COUNT_AT(struct cpu_row, counts.instructions)},
	{"cycles", COLUMN_COUNT_AT(struct cpu_row, counts.cycles)},
	{"busy_cycles", COLUMN_COUNT_AT(struct cpu_row, counts.busy_cycles)},
	{"idle_pct", .when = INTERVAL_HAS_UTIL, COLUMN_AT(struct cpu_row, util.idle_pct),
		.decimals = 4},
	{"intr_pct", .when = INTERVAL_HAS_UTIL, COLUMN_AT(struct cpu_row, util.intr_pct),
		.decimals = 4},
	{"actual_perf_pct", .when = INTERVAL_HAS_UTIL,
		COLUMN_AT(struct cpu_row, util.actual_perf_pct), .decimals = 4},
	{.name = NULL}};

static void interval_nest_cpus(struct json *j, const void *row)
{
	const struct interval *iv = row;

	json_open(j, '[');
	for (uint32_t i = 0; iv->cpus && i < iv->num_cpus; i++) {
		struct cpu_row cpu = {.cpu = i, .counts = iv->cpus[i]};

		if (iv->utils)
			cpu.util = iv->utils[i];
		column_write_object(
			j, cpu_columns, IN_JSON, iv->utils ? INTERVAL_HAS_UTIL : 0, &cpu);
	}
	json_close(j, ']');
}

static struct cell interval_get_elapsed(const void *row)
{
	const struct interval *iv = row;

	return (struct cell){CELL_WHOLE, .u = elapsed_whole_ns(iv), .real = iv->elapsed_ns};
}

static struct cell interval_get_cpu(const void *row)
{
	const struct interval *iv = row;

	return cell_u64(iv->ring, !(iv->ring & TF_GUEST_RING) && !(iv->flags & IV_OPEN));
}

static struct cell interval_get_start_cpu(const void *row)
{
	const struct interval *iv = row;

	return cell_u64(iv->start_cpu, iv->start_cpu < TF_GUEST_RING);
}

static struct cell interval_get_pid(const void *row)
{
	const struct task *task = ((const struct interval *)row)->task;

	return cell_u64(task ? task->pid : 0, task);
}

static struct cell interval_get_task(const void *row)
{
	const char *name = report_task_name(((const struct interval *)row)->task);

	return cell_string(name, name ? strlen(name) : 0, name);
}

static struct cell interval_get_container(const void *row)
{
	const struct task *task = ((const struct interval *)row)->task;
	const char *name = task ? task->container : NULL;

	return cell_string(name, name ? strlen(name) : 0, name);
}

static struct cell interval_get_label(const void *row)
{
	const struct interval *iv = row;

	return cell_string(iv->label, iv->label_len, iv->has_label);
}

static struct cell interval_get_num_cpus(const void *row)
{
	const struct interval *iv = row;

	return cell_u64(iv->num_cpus, iv->num_cpus);
}

static struct cell interval_get_flags(const void *row)
{
	const struct interval *iv = row;

	return cell_words(iv->flags, report_flags, true);
}

static struct cell interval_get_time_source(const void *row)
{
	uint64_t source = ((const struct interval *)row)->time_source;
	const char *name =
		source < INTERVAL_TIME_SOURCES ? interval_time_source_words[source] : NULL;

	return cell_string(name, name ? strlen(name) : 0, name);
}

static struct cell interval_get_method(const void *row)
{
	return cell_methods(tally_method(((const struct interval *)row)->method));
}

static struct cell interval_get_id(const void *row)
{
	const struct interval *iv = row;

	return interval_id_cell((struct interval_hook){iv->machine, iv->ring, iv->position}, true);
}

bool interval_column_is_nested(const char *name, size_t length)
{
	static const char *const nested[] = {"depth", "parent", "parent_id"};

	for (size_t i = 0; i < sizeof nested / sizeof *nested; i++)
		if (text_is(name, length, nested[i]))
			return true;
	return false;
}

static struct cell interval_get_parent_id(const void *row)
{
	const struct interval *iv = row;

	return interval_id_cell(iv->parent_hook, iv->depth);
}

static void interval_spell_code(struct out *o, const void *row)
{
	const struct interval *iv = row;

	report_code(o, iv->major, iv->mm);
}

static void interval_spell_label(struct out *o, const void *row)
{
	const struct interval *iv = row;

	/* The nesting shows, up to where it would only push the label off the screen. */
	out_repeat(o, ' ', 2 * (size_t)(iv->depth < 12 ? iv->depth : 12));
	escape_label(o, iv->has_label ? iv->label : NULL, iv->label_len, iv->mm);
}

#define AT(member) COLUMN_AT(struct interval, member)
#define COUNT_AT(member) COLUMN_COUNT_AT(struct interval, member)
#define RATIO_AT(member) AT(member), .decimals = 4
#define PERCENT_AT(member) RATIO_AT(member), .unit = UNIT_PERCENT, .place = 1, .spare = 7

const struct column interval_columns[] = {{"start_ns", "start", AT(start_ns), .unit = UNIT_TIME},
	{NULL, "elapsed", .listed = "elapsed_ns", .get = interval_get_elapsed,
		.unit = UNIT_DURATION},
	{"end_ns", AT(end_ns)}, {"elapsed_cycles", NULL, AT(elapsed)},
	{"cpu", "cpu", .get = interval_get_cpu, .none = "-", .spare = 4},
	{"pid", NULL, .get = interval_get_pid}, {"tid", "tid", AT(tid), .spare = 2},
	{"task", "task", .get = interval_get_task, .is_text = true, .none = "-", .left = true,
		.spare = 6},
	{"minor", "mm", AT(mm), .text = interval_spell_code, .place = 3, .spare = 11},
	{"label", "label", .get = interval_get_label, .is_text = true, .text = interval_spell_label,
		.left = true, .place = PLACE_FIRST},
	{"depth", NULL, AT(depth)}, {"types", NULL, AT(types)},
	{"num_cpus", NULL, .get = interval_get_num_cpus},
	{"raw_cpi", "raw CPI", RATIO_AT(raw_cpi), .spare = 5},
	{"scaled_cpi", "scaled", RATIO_AT(scaled_cpi), .spare = 8},
	{"busy_pct", "busy%", PERCENT_AT(busy_pct)},
	{"thread_cpi", "thread", RATIO_AT(thread_cpi), .spare = 2},
	{"instructions", NULL, COUNT_AT(instructions)}, {"cycles", NULL, COUNT_AT(cycles)},
	{"busy_cycles", NULL, COUNT_AT(busy_cycles)},
	{"thread_instructions", NULL, COUNT_AT(thread_instructions)},
	{"thread_cycles", NULL, COUNT_AT(thread_cycles)},
	{"flags", "flags", .get = interval_get_flags, .is_text = true, .left = true, .place = 3,
		.spare = 12},
	{"off_cpu_ns", "off CPU", COUNT_AT(off_cpu_ns), .unit = UNIT_DURATION,
		.when = INTERVAL_HAS_TIME, .place = 2, .spare = 1},
	{"ctx_switches", "switches", COUNT_AT(ctx_switches), .when = INTERVAL_HAS_TIME, .place = 2,
		.spare = 5},
	{"migrations", "migr", COUNT_AT(migrations), .when = INTERVAL_HAS_LIFE, .place = 2,
		.spare = 10},
	{"faults", "faults", COUNT_AT(faults), .when = INTERVAL_HAS_LIFE, .place = 2, .spare = 9},
	{"on_cpu_ns", NULL, COUNT_AT(on_cpu_ns), .when = INTERVAL_HAS_TIME},
	{"unexplained_ns", "unexplained", COUNT_AT(unexplained_ns), .unit = UNIT_DURATION,
		.when = INTERVAL_HAS_UNEXPLAINED, .place = 2, .spare = 9},
	{"time_source", NULL, .get = interval_get_time_source, .is_text = true,
		.when = INTERVAL_HAS_TIME},
	{"start_cpu", NULL, .get = interval_get_start_cpu, .when = INTERVAL_HAS_TIME},
	{"major", NULL, AT(major), .when = INTERVAL_HAS_MAJOR},
	{"idle_pct", "idle%", PERCENT_AT(idle_pct), .when = INTERVAL_HAS_UTIL},
	{"intr_pct", "intr%", PERCENT_AT(intr_pct), .when = INTERVAL_HAS_UTIL},
	{"actual_perf_pct", "perf%", PERCENT_AT(actual_perf_pct), .when = INTERVAL_HAS_UTIL},
	{"method", "method", .get = interval_get_method, .is_text = true, .left = true,
		.when = INTERVAL_HAS_UTIL, .place = 1, .spare = 10},
	{"own_inside_ns", NULL, COUNT_AT(own_inside_ns), .when = INTERVAL_HAS_OWN_COST},
	{"own_nested_ns", NULL, COUNT_AT(own_nested_ns), .when = INTERVAL_HAS_OWN_COST},
	{"container", "container", .get = interval_get_container, .is_text = true, .none = "-",
		.left = true, .when = INTERVAL_HAS_CONTAINER, .place = 2, .spare = 8},
	{"cpus", NULL, .source = COLUMN_NEST, .nest = interval_nest_cpus, .in = IN_JSON},
	{"id", NULL, .get = interval_get_id, .is_text = true, .is_id = true, .is_end = true},
	{"parent_id", NULL, .get = interval_get_parent_id, .is_text = true, .is_id = true,
		.is_end = true},
	{.name = NULL}};

#undef AT
