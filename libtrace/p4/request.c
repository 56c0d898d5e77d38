/* Parses and checks requests. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../../formats/base/number.h"
#include "../../formats/base/text.h"
#include "../../include/perfutil.h"
#include "p4.h"

static uint32_t known_masks(const struct p4_event *event)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < event->mask_count; i++)
		bits |= 1u << event->masks[i].bit;
	return bits;
}

static int check_counter(const struct p4_request *r, char why[P4_WHY_MAX])
{
	uint8_t counters[P4_COUNTERS];

	if (r->cascade && r->counter >= 16) {
		snprintf(why, P4_WHY_MAX, "%s: counters 16 and 17 have no counter to cascade from",
			r->name);
		return PU_ERROR_INCOMPATIBLE_OPTIONS;
	}
	for (size_t i = 0; i < 2; i++)
		if (p4_counters_of(r, r->event->escr[i], counters))
			return PU_SUCCESS;
	snprintf(why, P4_WHY_MAX, "%s: counter %d cannot count this event", r->name, r->counter);
	return PU_ERROR_INCOMPATIBLE_OPTIONS;
}

static int check_values(const struct p4_request *r, char why[P4_WHY_MAX])
{
	if (r->masks & ~known_masks(r->event) || !(r->masks & 0xffff)) {
		snprintf(why, P4_WHY_MAX, "%s: event mask %#x is none of %s", r->name, r->masks,
			r->event->name);
		return PU_ERROR_INVALID_METRIC;
	}
	if (r->threshold > 15 || r->counter < -1 || r->counter >= P4_COUNTERS) {
		snprintf(why, P4_WHY_MAX, "%s: a threshold is 0 to 15, a counter 0 to %d", r->name,
			P4_COUNTERS - 1);
		return PU_ERROR_INVALID_METRIC;
	}
	if (!r->compare && (r->complement || r->edge || r->threshold)) {
		snprintf(why, P4_WHY_MAX,
			"%s: threshold, complement and edge filter nothing without the compare flag",
			r->name);
		return PU_ERROR_INCOMPATIBLE_OPTIONS;
	}
	if ((!r->user && !r->kernel) || r->threads < 1 || r->threads > 3) {
		snprintf(why, P4_WHY_MAX, "%s: counts in no mode or on no logical processor",
			r->name);
		return PU_ERROR_INVALID_PRIVILEGE_LEVEL;
	}
	if (r->metric && r->metric->tagging != r->event->tagging) {
		snprintf(why, P4_WHY_MAX, "%s: %s does not count uops tagged for %s", r->name,
			r->event->name, r->metric->name);
		return PU_ERROR_INVALID_METRIC;
	}
	return PU_SUCCESS;
}

/* Rejects entries from other tables: they have no Linux event code, and their masks cannot be
 * trusted. */
static bool is_of_tables(const struct p4_request *r)
{
	size_t event = 0, metric = 0;

	while (event < P4_EVENTS && r->event != &p4_events[event])
		event++;
	while (metric < P4_METRICS && r->metric != &p4_metrics[metric])
		metric++;
	return event < P4_EVENTS && (!r->metric || metric < P4_METRICS);
}

int P4Check(const struct p4_request *r, enum p4_model model, char *why)
{
	char unwanted[P4_WHY_MAX];
	int rc;

	why = why ? why : unwanted;
	*why = 0;
	if (!r) {
		snprintf(why, P4_WHY_MAX, "no request");
		return PU_ERR_NULL_PTR;
	}
	if (!memchr(r->name, 0, sizeof r->name)) {
		snprintf(why, P4_WHY_MAX, "the request's name does not end");
		return PU_ERROR_INVALID_EVENT;
	}
	if (!is_of_tables(r)) {
		snprintf(
			why, P4_WHY_MAX, "%s: no event or metric of the library's tables", r->name);
		return PU_ERROR_INVALID_EVENT;
	}
	if (!P4HasEvent(model, r->event)) {
		snprintf(why, P4_WHY_MAX, "%s: only models 3, 4 and 6 have %s", r->name,
			r->event->name);
		return PU_ERROR_EVENT_NOT_SUPPORTED;
	}
	rc = check_values(r, why);
	return rc ? rc : check_counter(r, why);
}

/* Parses a decimal number up to max. */
static bool p4_parse_value(const char *text, unsigned max, unsigned *value)
{
	uint64_t n;

	if (!number_parse(text, 10, max, &n))
		return false;
	*value = (unsigned)n;
	return true;
}

/* Parses a part of a name other than a unit mask. Returns 1, 0 if the part is no modifier, or an
 * error if its value is out of range. */
static int p4_parse_modifier(struct p4_request *r, const char *part, char why[P4_WHY_MAX])
{
	unsigned n;

	if (strcmp(part, "i") == 0)
		r->complement = r->compare = true;
	else if (strcmp(part, "e") == 0)
		r->edge = r->compare = true;
	else if (strcmp(part, "u") == 0)
		r->user = true;
	else if (strcmp(part, "k") == 0)
		r->kernel = true;
	else if (strcmp(part, "uk") == 0 || strcmp(part, "ku") == 0)
		r->user = r->kernel = true;
	else if (strcmp(part, "t0") == 0)
		r->threads |= P4_THREAD_0;
	else if (strcmp(part, "t1") == 0)
		r->threads |= P4_THREAD_1;
	else if (strcmp(part, "int") == 0)
		r->interrupt = true;
	else if (strcmp(part, "force") == 0)
		r->force_overflow = true;
	else if (strcmp(part, "cascade") == 0)
		r->cascade = true;
	else if (strncmp(part, "c=", 2) == 0) {
		if (!p4_parse_value(part + 2, 15, &n)) {
			snprintf(why, P4_WHY_MAX, "%s: the threshold is 0 to 15, not \"%s\"",
				r->name, part + 2);
			return PU_ERROR_INVALID_METRIC;
		}
		r->compare = true;
		r->threshold = (uint8_t)n;
	} else if (strncmp(part, "ctr=", 4) == 0) {
		if (!p4_parse_value(part + 4, P4_COUNTERS - 1, &n)) {
			snprintf(why, P4_WHY_MAX, "%s: a counter is 0 to %d, not \"%s\"", r->name,
				P4_COUNTERS - 1, part + 4);
			return PU_ERROR_INVALID_METRIC;
		}
		r->counter = (int)n;
	} else
		return 0;
	return 1;
}

/* Appends the event's unit masks and metrics. */
static void list_masks(const struct p4_event *event, char why[P4_WHY_MAX])
{
	for (size_t i = 0; i < event->mask_count; i++)
		text_append(why, P4_WHY_MAX, "%s %s", i ? "," : "", event->masks[i].name);
	for (size_t i = 0; i < P4_METRICS; i++)
		if (event->tagging && p4_metrics[i].tagging == event->tagging)
			text_append(why, P4_WHY_MAX, ", %s", p4_metrics[i].name);
}

static int no_such_part(const struct p4_request *r, const char *part, char why[P4_WHY_MAX])
{
	snprintf(why, P4_WHY_MAX, "%s: \"%s\" is no modifier and no unit mask of %s:", r->name,
		part, r->event->name);

	list_masks(r->event, why);
	return PU_ERROR_INVALID_METRIC;
}

static int request_add_part(struct p4_request *r, const char *part, char why[P4_WHY_MAX])
{
	const struct p4_mask *mask = P4FindMask(r->event, part);
	const struct p4_metric *metric = P4FindMetric(r->event, part);
	int rc;

	if (mask) {
		r->masks |= 1u << mask->bit;
		return PU_SUCCESS;
	}
	if (metric && r->metric && r->metric != metric) {
		snprintf(why, P4_WHY_MAX,
			"%s: %s and %s are two kinds of tagged uops; one event counts one", r->name,
			r->metric->name, metric->name);
		return PU_ERROR_TOO_MANY_METRICS;
	}
	if (metric) {
		r->metric = metric;
		return PU_SUCCESS;
	}
	rc = p4_parse_modifier(r, part, why);
	if (rc == 0)
		return no_such_part(r, part, why);
	return rc < 0 ? rc : PU_SUCCESS;
}

/* Fills in defaults. */
static int fill_in(struct p4_request *r, char why[P4_WHY_MAX])
{
	/* The manual counts a metric's non-bogus uops: the first mask. */
	const struct p4_mask *mask = r->metric ? r->event->masks : p4_mask_default(r->event);

	if (!(r->masks & 0xffff)) {
		if (!mask) {
			snprintf(why, P4_WHY_MAX, "%s: needs a unit mask:", r->name);
			list_masks(r->event, why);
			return PU_ERROR_INVALID_METRIC;
		}
		r->masks |= 1u << mask->bit;
	}
	if (!r->user && !r->kernel)
		r->user = r->kernel = true;
	if (!r->threads)
		r->threads = P4_THREAD_0;
	return PU_SUCCESS;
}

int P4Parse(const char *text, enum p4_model model, struct p4_request *r, char *why)
{
	char copy[P4_NAME_MAX], unwanted[P4_WHY_MAX], *next = copy, *part;
	int rc = PU_SUCCESS;

	why = why ? why : unwanted;
	*why = 0;
	if (!text || !r) {
		snprintf(why, P4_WHY_MAX, text ? "no request to fill in" : "no text to parse");
		return PU_ERR_NULL_PTR;
	}
	*r = (struct p4_request){.counter = -1};
	if (strlen(text) >= sizeof copy) {
		snprintf(why, P4_WHY_MAX, "\"%.40s...\": too long for an event", text);
		return PU_ERROR_INVALID_EVENT;
	}
	memcpy(copy, text, strlen(text) + 1);
	memcpy(r->name, text, strlen(text) + 1);
	part = strsep(&next, ":");
	r->event = P4FindEvent(part);
	if (!r->event) {
		snprintf(why, P4_WHY_MAX,
			"%s: the Pentium 4 has no event \"%s\"; swtrace event list --cpu p4 names them",
			text, part);
		return PU_ERROR_INVALID_EVENT;
	}
	while (rc == PU_SUCCESS && (part = strsep(&next, ":")))
		rc = request_add_part(r, part, why);
	if (rc == PU_SUCCESS)
		rc = fill_in(r, why);
	return rc ? rc : P4Check(r, model, why);
}
