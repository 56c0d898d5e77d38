#include "where_events.h"

#include "../../../formats/base/text.h"
#include "../tallies.h"
#include "../values/columns.h"
#include "../values/interval_columns.h"

static int where_see_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	(void)thread;
	value_columns_see(ctx, iv);
	return 0;
}

/* Gathers from all intervals: the condition may ask some that the report leaves out. */
static int where_gather_events(const struct report *r, struct event_names *names)
{
	struct filter all;
	struct report reading = *r;
	struct value_columns seen;
	int rc = value_columns_init(&seen, r->trace);

	filter_init(&all);
	reading.filter = &all;
	reading.where = NULL;
	reading.slices = NULL;
	reading.progress = NULL;
	if (!rc)
		rc = tallies_each(&reading, tallies_threads(&reading, 0), WANT_EVENTS, NULL,
			where_see_interval, &seen);
	for (uint32_t i = 0; i < seen.limit && !rc; i++) {
		if (!seen.seen[VALUE_EVENT * seen.limit + i])
			continue;
		struct trace_text text = trace_text_at(r->trace, i);

		rc = event_names_add(names, text.at, text.length);
	}
	value_columns_free(&seen);
	return rc;
}

static const struct derived *where_find_metric(
	const struct derived_set *metrics, const struct where_word *word)
{
	const size_t prefix = strlen(METRIC_PREFIX);
	const bool is_prefixed =
		word->length > prefix && memcmp(word->name, METRIC_PREFIX, prefix) == 0;

	for (size_t i = 0; i < metrics->count; i++)
		if (text_is(word->name, word->length, metrics->at[i].name))
			return &metrics->at[i];
	for (size_t i = 0; is_prefixed && i < metrics->count; i++)
		if (text_is(word->name + prefix, word->length - prefix,
			    metrics->at[i].formula->name))
			return &metrics->at[i];
	return NULL;
}

static bool where_has_event(const struct event_names *names, const struct where_word *word)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->at[i].length == word->length &&
			memcmp(names->at[i].text, word->name, word->length) == 0)
			return true;
	return false;
}

static int where_find_word_of_trace(struct where *w, struct where_word *word, const struct trace *t,
	const struct event_names *names, struct expression_error *error)
{
	if (!word->may_be_event)
		return 0;
	word->metric = where_find_metric(&w->metrics, word);
	word->source = WHERE_METRIC;
	if (!word->metric && where_has_event(names, word)) {
		word->source = WHERE_VALUE;
		word->index = trace_text_index(t, word->name, word->length);
	} else if (!word->metric && !word->may_be_metric) {
		expression_refuse(error, w->text, word->at, "expected not, ( or " WHERE_WORDS);
		return CPIDECODE_EINVAL;
	}
	return 0;
}

int where_find_events(struct report *r, struct expression_error *error)
{
	struct event_names names = {0};
	const char *taken[DERIVED_TAKEN];
	struct where *w = r->where;
	int rc = 0;

	*error->text = '\0';
	if (!w || !w->asks_events)
		return 0;
	where_free(w);
	rc = where_gather_events(r, &names);
	if (!rc && w->asks_metrics)
		rc = derived_make(
			&w->metrics, r, &names, taken, derived_list_names(interval_columns, taken));
	for (uint32_t i = 0; i < w->nwords && !rc; i++)
		rc = where_find_word_of_trace(w, &w->words[i], r->trace, &names, error);
	event_names_free(&names);
	return rc;
}
