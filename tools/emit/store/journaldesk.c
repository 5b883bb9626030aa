/* journaldesk - the journal's errands and the state of its spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "journaldesk.h"

#include "clock.h"
#include "diag.h"
#include "num.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* Interval of retrying a spool that does not work. */
#define TRY_AGAIN_NS NUM_NS_PER_S

/* --- errands --- */

struct errand *
journal_errand(struct journal *journal, enum errand_kind kind)
{
	return journal->is_late ? NULL : desk_errand(journal->desk, kind);
}

void
journal_forget_stored(struct journal *journal)
{
	for (size_t i = 0; i < journal->sources.count; i++)
		journal->sources.items[i].stored = 0;
}

/* The files were damaged, and the thread has closed the spool. The next round opens it again. */
static void
note_harm(struct journal *journal)
{
	if (journal->desk->errand.status != DATABASE_HARMED)
		return;
	diag_error("spool %s: %s: reopening it", journal->options->spool_path,
		journal->desk->spool.database.problem);
	journal->tally.failures++;
	journal_forget_stored(journal);
}

enum database_status
journal_ask(struct journal *journal)
{
	uint64_t began_ns = clock_monotonic_ns();
	uint64_t patience_ns = journal->options->patience_ns;
	uint64_t for_ns = journal->waited_ns < patience_ns ? patience_ns - journal->waited_ns : 0;
	desk_begin(journal->desk);
	bool has_ended = journal->begins
				 ? worker_wait_while_moving(journal->desk->worker, patience_ns)
				 : worker_wait(journal->desk->worker, for_ns);
	if (!journal->begins)
		journal->waited_ns += clock_monotonic_ns() - began_ns;
	journal->is_late = !has_ended;
	if (has_ended)
		note_harm(journal);
	return has_ended ? journal->desk->errand.status : DATABASE_LATE;
}

void
journal_end_errand(struct journal *journal, enum database_status status)
{
	if (status != DATABASE_LATE)
		errand_fini(&journal->desk->errand);
}

bool
journal_take_late(struct journal *journal)
{
	if (!journal->is_late || !worker_wait(journal->desk->worker, 0))
		return false;
	journal->is_late = false;
	note_harm(journal);
	return true;
}

uint64_t
journal_hangs_since_ns(const struct journal *journal)
{
	uint64_t since_ns = journal->is_late ? worker_late_since_ns(journal->desk->worker) : 0;
	return since_ns != 0 && clock_monotonic_ns() - since_ns >= journal->options->patience_ns
		       ? since_ns
		       : 0;
}

uint64_t
journal_will_hang_at_ns(const struct journal *journal)
{
	return journal->is_late && !journal->failing
		       ? worker_late_since_ns(journal->desk->worker) + journal->options->patience_ns
		       : UINT64_MAX;
}

int
journal_fd(const struct journal *journal)
{
	return journal->desk != NULL ? worker_fd(journal->desk->worker) : -1;
}

/* --- the state of the spool --- */

bool
journal_is_usable(const struct journal *journal)
{
	return journal->desk != NULL && !journal->is_late && spool_is_open(&journal->desk->spool) &&
	       *journal->broken == '\0';
}

uint64_t
journal_stored(const struct journal *journal)
{
	return (journal->desk != NULL ? journal->unstored : journal->queue.first) - 1;
}

bool
journal_has_spool(const struct journal *journal)
{
	return journal_is_usable(journal) && !journal->failing;
}

bool
journal_is_durable(const struct journal *journal)
{
	return journal->options->spool_path != NULL &&
	       strcmp(journal->options->spool_path, DATABASE_IN_MEMORY) != 0;
}

bool
journal_knows_sinks(const struct journal *journal)
{
	return !journal->has_sinks || journal->known_opened == journal->opened;
}

void
journal_know_sinks(struct journal *journal, unsigned opened)
{
	journal->known_opened = opened;
}

void
journal_note_working(struct journal *journal)
{
	if (journal->failing)
		diag_note("spool %s: works again", journal->options->spool_path);
	journal->failing = false;
	journal->retry_at_ns = 0;
}

static const char *
problem(const struct journal *journal)
{
	if (!journal->is_late)
		return journal->desk->spool.database.problem;
	return journal->desk->errand.kind == ERRAND_ACKNOWLEDGE
		       ? "the disk of the acks file hangs: no answer for 2 s"
		       : "its disk hangs: no answer for 2 s";
}

void
journal_note_failing(struct journal *journal, uint64_t now_ns)
{
	if (!journal->failing)
		diag_warn("spool %s: %s: until it works again, events are kept in memory and "
			  "delivered, but not acknowledged",
			journal->options->spool_path, problem(journal));
	journal->failing = true;
	journal->tally.failures++;
	journal->retry_at_ns = now_ns + TRY_AGAIN_NS;
}

void
journal_name_receiver(struct journal *journal)
{
	uint64_t random;
	/* Without random bytes use the time, which is new as well. */
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
		random = clock_realtime_ns();
	snprintf(journal->receiver, sizeof journal->receiver, "%016" PRIx64, random);
	journal->acks_due = true;
}
