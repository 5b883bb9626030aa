/* journalask - requests of sinks and metrics to the journal's spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "journalask.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

/* End the errand and handle its status. Return true if the spool works. */
static bool
eval_answer(struct journal *journal, enum database_status status, uint64_t now_ns)
{
	journal_end_errand(journal, status);
	return journal_accepts(journal, status, now_ns);
}

int
journal_find_sink(struct journal *journal, const char *sink, const char *const former[2],
	uint64_t now_ns, struct spool_sink *out)
{
	if (!journal_has_spool(journal))
		return -1;
	struct errand *errand = journal_errand(journal, ERRAND_FIND_SINK);
	errand->sink = sink;
	errand->former[0] = former[0];
	errand->former[1] = former[1];
	enum database_status status = journal_ask(journal);
	if (status == DATABASE_OK)
		*out = errand->found;
	return eval_answer(journal, status, now_ns) ? 0 : -1;
}

bool
journal_set_position(struct journal *journal, const char *sink, uint64_t position,
	uint64_t delivered, uint64_t now_ns)
{
	if (!journal_has_spool(journal))
		return false;
	struct errand *errand = journal_errand(journal, ERRAND_SET_POSITION);
	errand->sink = sink;
	errand->number = position;
	errand->count = delivered;
	errand->realtime_ns = clock_realtime_ns();
	enum database_status status = journal_ask(journal);
	return eval_answer(journal, status, now_ns) || status == DATABASE_LATE;
}

void
journal_set_doubt(struct journal *journal, const char *sink, uint64_t number, uint64_t spent_ns,
	uint64_t now_ns)
{
	if (!journal_has_spool(journal))
		return;
	struct errand *errand = journal_errand(journal, ERRAND_SET_DOUBT);
	errand->sink = sink;
	errand->number = number;
	errand->span_ns = spent_ns;
	eval_answer(journal, journal_ask(journal), now_ns);
}

bool
journal_refuse(struct journal *journal, const struct spool_letter *letter, uint64_t now_ns)
{
	if (!journal_has_spool(journal))
		return false;
	struct errand *errand = journal_errand(journal, ERRAND_REFUSE);
	errand->letter = *letter;
	errand->letter.id = errand->id = strdup(letter->id);
	errand->letter.reason = errand->reason = strdup(letter->reason);
	errand->letter.line = errand->line = strndup(letter->line, letter->length);
	if (errand->id != NULL && errand->reason != NULL && errand->line != NULL)
		return eval_answer(journal, journal_ask(journal), now_ns);
	errand_fini(errand);
	return false;
}

int
journal_read_conditions(
	struct journal *journal, const struct conditions_range *range, struct condition_list *out)
{
	if (!journal_is_usable(journal))
		return -1;
	struct errand *errand = journal_errand(journal, ERRAND_CONDITIONS);
	errand->range = *range;
	enum database_status status = journal_ask(journal);
	if (status != DATABASE_OK) {
		eval_answer(journal, status, clock_monotonic_ns());
		return -1;
	}
	*out = errand->conditions;
	errand->conditions = (struct condition_list){.count = 0};
	journal_end_errand(journal, status);
	return 0;
}

bool
journal_silence(struct journal *journal, const char *text, uint64_t delivered, uint64_t realtime_ns,
	json_t **released)
{
	if (delivered == JOURNAL_UNASKED || !journal_has_spool(journal) ||
		journal->unstored < journal->queue.end)
		return false;
	struct errand *errand = journal_errand(journal, ERRAND_SILENCE);
	errand->line = strdup(text);
	errand->realtime_ns = realtime_ns;
	errand->delivered = delivered;
	if (errand->line == NULL) {
		errand_fini(errand);
		return false;
	}
	enum database_status status = journal_ask(journal);
	if (status == DATABASE_OK) {
		*released = errand->released;
		errand->released = NULL;
	}
	return eval_answer(journal, status, clock_monotonic_ns());
}

bool
journal_look(struct journal *journal, uint64_t *bytes, uint64_t *letters)
{
	if (!journal_is_usable(journal))
		return false;
	struct errand *errand = journal_errand(journal, ERRAND_LOOK);
	enum database_status status = journal_ask(journal);
	if (status == DATABASE_OK) {
		*bytes = errand->bytes;
		*letters = errand->letters;
	}
	journal_end_errand(journal, status);
	return status == DATABASE_OK;
}
