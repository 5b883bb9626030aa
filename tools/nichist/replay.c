/* replay - sends events of a spool again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include "../emit/out/request.h"
#include "array.h"
#include "chosen.h"
#include "diag.h"
#include "letters.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* An event that a sink rejected again. */
struct refusal {
	const struct sink *sink;
	uint64_t number;
};

struct replay_run {
	struct run run;
	struct letters letters;
	struct refusal *refusals;
	size_t refusal_count, refusal_capacity;
	bool failed; /* memory ran out: `refusals` is incomplete */
	uint64_t sent;
};

/* --- sending --- */

/* If a refusal cannot be recorded, no letter is removed. */
static void
note_refusal(void *context, const struct sink *sink, uint64_t number)
{
	struct replay_run *all = context;
	struct refusal *refusals = array_grown(
		all->refusals, all->refusal_count, &all->refusal_capacity, sizeof *refusals);
	if (refusals == NULL) {
		all->failed = true;
		return;
	}
	all->refusals = refusals;
	refusals[all->refusal_count++] = (struct refusal){.sink = sink, .number = number};
}

/* Return true if the sink's options keep the event from it: the sink passes it as if it were
 * delivered. Alerts are chosen by their conditions, so that any choice may leave them out. */
static bool
leaves_out(const struct sink *sink, const json_t *event)
{
	const struct choice *choice = &sink->spec.choice;
	const struct request_kind *kind = sink->spec.kind->request;
	bool is_of_alerts = kind != NULL && kind->renews;
	return is_of_alerts ? choice_is_narrow(choice) : !choice_wants(choice, event);
}

static void
note_letter(const struct replay_run *all, struct letter *letter, const char *record, size_t length)
{
	struct rec_error ignored;
	json_t *event = rec_parse_new(record, length, &ignored);
	letter->is_left_out = event == NULL;
	for (size_t i = 0; i < all->run.sink_count && event != NULL; i++) {
		const struct sink *sink = &all->run.sinks[i];
		letter->is_left_out |=
			sink_spec_is_named(&sink->spec, letter->sink) && leaves_out(sink, event);
	}
	json_decref(event);
}

/* Store the event's new number in its dead letters, and whether their sinks are to get it. */
static void
note_sent(struct replay_run *all, const char *record, size_t length, uint64_t number)
{
	uint64_t hash = letters_hash(record, length);
	all->sent++;
	const struct letters *letters = &all->letters;
	for (size_t i = letters_find(letters, hash);
		i < letters->count && letters->items[i].record == hash; i++) {
		letters->items[i].number = number;
		note_letter(all, &letters->items[i], record, length);
	}
}

static int
send_again(void *context, const char *record, size_t length)
{
	struct replay_run *all = context;
	uint64_t before = journal_last(&all->run.journal);
	int status = run_accept(&all->run, record, length);
	uint64_t number = journal_last(&all->run.journal);
	if (number != before)
		note_sent(all, record, length, number);
	return status;
}

/* --- results --- */

static bool
was_refused(const struct replay_run *all, const struct sink *sink, uint64_t number)
{
	for (size_t i = 0; i < all->refusal_count; i++) {
		if (all->refusals[i].sink == sink && all->refusals[i].number == number)
			return true;
	}
	return false;
}

/* Remove the letters of a sink that were delivered, and add their count to `*removed`. Return 0, or
 * an exit code. */
static int
remove_letters(struct replay_run *all, const struct sink *sink, const char *path, size_t *removed)
{
	uint64_t *events = calloc(all->letters.count + 1, sizeof *events);
	size_t count = 0;
	if (events == NULL)
		return diag_no_memory();
	for (size_t i = 0; i < all->letters.count && !all->failed; i++) {
		const struct letter *letter = &all->letters.items[i];
		if (letter->number != 0 && !letter->is_left_out &&
			letter->number <= sink->position &&
			sink_spec_is_named(&sink->spec, letter->sink) &&
			!was_refused(all, sink, letter->number))
			events[count++] = letter->event;
	}
	/* A letter is stored under the name that the sink had when it rejected the event. */
	const char *const names[] = {sink->spec.name, sink->spec.own_name, sink->spec.address};
	for (size_t i = 0; i < ARRAY_COUNT(names) && count > 0; i++) {
		bool is_again = i == 1 && names[1] == names[0];
		if (names[i] != NULL && !is_again)
			*removed += letters_remove(path, names[i], events, count);
	}
	free(events);
	return 0;
}

/* Report the results of a sink. Return 0, or an exit code. */
static int
report(struct replay_run *all, const struct sink *sink, const char *path)
{
	size_t removed = 0;
	char of_letters[64] = "";
	int status = remove_letters(all, sink, path, &removed);
	if (removed > 0)
		snprintf(of_letters, sizeof of_letters, "; %zu dead letter%s removed", removed,
			text_plural(removed));
	diag_note("sink %s: %" PRIu64 " of %" PRIu64 " event%s of %s delivered again%s",
		sink_name(sink), sink->tally.delivered, all->sent, text_plural(all->sent), path,
		of_letters);
	return status;
}

/* Report dead letters of the sent events that belong to other sinks: they stay in the spool. */
static void
report_others(const struct replay_run *all)
{
	size_t others = 0;
	for (size_t i = 0; i < all->letters.count; i++) {
		const struct letter *letter = &all->letters.items[i];
		bool named = letter->number == 0;
		for (size_t j = 0; j < all->run.sink_count; j++)
			named |= sink_spec_is_named(&all->run.sinks[j].spec, letter->sink);
		others += !named;
	}
	if (others > 0)
		diag_note("%zu dead letter%s of these events stay%s in the spool, for sinks not "
			  "named here",
			others, text_plural(others), others == 1 ? "s" : "");
}

static int
report_all(struct replay_run *all, const char *path)
{
	int status = 0;
	if (all->sent == 0) {
		diag_note("%s: no event is selected: none was sent", path);
		return 0;
	}
	for (size_t i = 0; i < all->run.sink_count; i++) {
		int failure = report(all, &all->run.sinks[i], path);
		if (status == 0)
			status = failure;
	}
	report_others(all);
	return status;
}

int
replay(struct run_options *options, const struct history_options *history, char **ids)
{
	const char *path = history->path;
	struct replay_run all = {.sent = 0};
	options->setting.refused = note_refusal;
	options->setting.refused_context = &all;
	int status = letters_read(&all.letters, path);
	if (status == 0) {
		status = run_init(&all.run, options);
		if (status == 0)
			status = chosen_read(history, ids, send_again, &all);
		if (status == 0 || all.sent > 0) {
			int finished = run_finish(&all.run);
			int reported = report_all(&all, path);
			if (status == 0)
				status = finished != 0 ? finished : reported;
		}
		status = run_fini(&all.run, status);
	}
	letters_fini(&all.letters);
	free(all.refusals);
	return status;
}
