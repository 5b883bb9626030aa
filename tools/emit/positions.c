/* positions - up to which event each sink has been served, kept in the spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "positions.h"

uint64_t
positions_delivered(const struct positions *positions)
{
	const struct journal *journal = positions->journal;
	uint64_t oldest = journal_last(journal);
	if (positions->opened == 0 && journal->options->spool_path != NULL)
		return JOURNAL_UNASKED;
	for (size_t i = 0; i < positions->sink_count; i++) {
		const struct sink *sink = &positions->sinks[i];
		if (sink->state != SINK_GONE && sink->position < oldest)
			oldest = sink->position;
	}
	return oldest;
}

void
positions_store(const struct positions *positions, struct sink *sink, uint64_t now_ns)
{
	if (sink->noted == sink->position ||
		!journal_set_position(positions->journal, sink->spec.name, sink->position,
			sink->delivered, now_ns))
		return;
	sink->noted = sink->position;
	sink->delivered = 0;
}

/* When the first spool of the run is opened: a sink that the spool knows, and that lacks events of
 * earlier runs, restarts at its stored position, with its stored doubt. Any other sink continues at
 * its event, so a sink that the spool does not know gets no old events. Return 0, or -1 if the
 * spool cannot be read. */
static int
restore(struct positions *positions, uint64_t now_ns)
{
	struct journal *journal = positions->journal;
	struct spool_sink known[SINKS_MAX];
	for (size_t i = 0; i < positions->sink_count; i++) {
		const struct sink_spec *spec = &positions->sinks[i].spec;
		const char *const former[] = {spec->own_name, spec->address};
		if (journal_find_sink(journal, spec->name, former, now_ns, &known[i]) < 0)
			return -1;
	}
	for (size_t i = 0; i < positions->sink_count; i++) {
		struct sink *sink = &positions->sinks[i];
		/* Skip the events that every sink already has: repeating an old fault would leave
		 * the sink with it, because its recovery would not be repeated. */
		uint64_t had =
			known[i].position > journal->arrived ? known[i].position : journal->arrived;
		bool is_behind = known[i].is_known && had < journal->inherited;
		if (!is_behind) {
			sink_shift(sink, journal->moved);
			continue;
		}
		sink_restart(sink, had);
		sink->doubt =
			(struct doubt){.number = known[i].doubted, .spent_ns = known[i].doubt_ns};
	}
	return 0;
}

bool
positions_settle(struct positions *positions, uint64_t now_ns)
{
	struct journal *journal = positions->journal;
	bool are_known = true;
	if (journal_knows_sinks(journal))
		return false;
	if (positions->opened != journal->opened) {
		if (!journal_has_spool(journal) ||
			(positions->opened == 0 && restore(positions, now_ns) < 0))
			return false;
		positions->opened = journal->opened;
		for (size_t i = 0; i < positions->sink_count; i++)
			positions->sinks[i].noted = UINT64_MAX;
	}
	for (size_t i = 0; i < positions->sink_count; i++) {
		positions_store(positions, &positions->sinks[i], now_ns);
		are_known = are_known && positions->sinks[i].noted != UINT64_MAX;
	}
	if (are_known)
		journal_know_sinks(journal, positions->opened);
	return are_known;
}
