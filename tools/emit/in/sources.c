/* sources - tracks how much of each writer's stream has arrived. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sources.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

struct source *
sources_find(struct sources *sources, const char *name)
{
	/* Events of one writer usually arrive in a row. */
	if (sources->latest < sources->count &&
		strcmp(sources->items[sources->latest].name, name) == 0)
		return &sources->items[sources->latest];
	for (size_t i = 0; i < sources->count; i++) {
		if (strcmp(sources->items[i].name, name) == 0) {
			sources->latest = i;
			return &sources->items[i];
		}
	}
	return NULL;
}

static void
forget_oldest(struct sources *sources)
{
	size_t oldest = 0;
	for (size_t i = 1; i < sources->count; i++) {
		if (sources->items[i].changed_ns < sources->items[oldest].changed_ns)
			oldest = i;
	}
	free(sources->items[oldest].name);
	sources->items[oldest] = sources->items[--sources->count];
}

static struct source *
find_or_add(struct sources *sources, const char *name)
{
	struct source *source = sources_find(sources, name);
	if (source != NULL)
		return source;
	if (sources->count == SOURCES_MAX)
		forget_oldest(sources);
	struct source *items = array_grown(
		sources->items, sources->count, &sources->capacity, sizeof *sources->items);
	char *copy = strdup(name);
	if (items != NULL)
		sources->items = items;
	if (items == NULL || copy == NULL) {
		free(copy);
		return NULL;
	}
	sources->latest = sources->count++;
	items[sources->latest] = (struct source){.name = copy};
	return &items[sources->latest];
}

static void
nothing_is_missing(struct source *source)
{
	source->missing_from = source->missing_to = 0;
}

/* Stop expecting the missing events up to `seq`. */
static void
close_gap(struct source *source, uint64_t seq)
{
	source->missing_from = seq + 1;
	if (source->missing_from > source->missing_to)
		nothing_is_missing(source);
}

int
sources_restore(struct sources *sources, const char *name, uint64_t stored, uint64_t changed_ns)
{
	struct source *source = find_or_add(sources, name);
	if (source == NULL)
		return -1;
	if (stored > source->stored)
		source->stored = stored;
	if (stored > source->accepted)
		source->accepted = stored;
	if (source->missing_from != 0 && stored >= source->missing_from)
		close_gap(source, stored);
	if (changed_ns > source->changed_ns)
		source->changed_ns = changed_ns;
	return 0;
}

int
sources_restore_acks(struct sources *sources, const char *name, uint64_t acked, uint64_t delivered)
{
	if (sources_restore(sources, name, acked, 0) < 0)
		return -1;
	struct source *source = sources_find(sources, name);
	source->acked = acked;
	source->delivered = delivered < acked ? delivered : acked;
	/* The spool has not been read. */
	source->stored = 0;
	return 0;
}

int
sources_copy_acked(const struct sources *sources, struct sources *out)
{
	for (size_t i = 0; i < sources->count; i++) {
		const struct source *source = &sources->items[i];
		if (source->acked > 0 && sources_restore_acks(out, source->name, source->acked,
						 source->delivered) < 0)
			return -1;
	}
	return 0;
}

void
source_compare(struct source *source, uint64_t kept, bool fresh, struct sources_lost *lost)
{
	uint64_t from = source->stored;
	if (source->acked <= from)
		return;
	if (source->delivered > from)
		lost->delivered += source->delivered - from;
	if (kept < source->delivered)
		kept = source->delivered;
	if (kept >= source->acked) {
		source->stored = source->acked;
		return;
	}
	lost->asked += source->acked - kept;
	source->stored = kept;
	if (fresh) {
		source->accepted = kept;
		nothing_is_missing(source);
		return;
	}
	if (source->missing_from == 0)
		source->missing_to = source->acked;
	if (source->missing_from == 0 || source->missing_from > kept + 1)
		source->missing_from = kept + 1;
}

static bool
is_missing(const struct source *source, uint64_t seq)
{
	return source->missing_from != 0 && seq >= source->missing_from &&
	       seq <= source->missing_to;
}

static enum arrival
eval_arrival(const struct sources *sources, struct source *source, uint64_t seq, bool again)
{
	if (is_missing(source, seq)) {
		/* The missing events before this one will not arrive, unless a line was lost. If
		 * this one arrives again, the spool has it. */
		if (source->complete || seq == source->missing_from)
			close_gap(source, seq);
		return ARRIVAL_ACCEPT;
	}
	if (seq <= source->accepted) {
		/* The writer began again and left the missing events out. */
		if (source->complete && source->missing_from != 0 && seq > source->missing_to)
			nothing_is_missing(source);
		return ARRIVAL_KNOWN;
	}
	bool follows = seq == source->accepted + 1;
	if (!sources->acknowledges) {
		/* Without acks the user may merge and sort events in any order. The spool
		 * recognises duplicates. */
		source->accepted += follows;
		return ARRIVAL_ACCEPT;
	}
	if (!follows && !source->sure && !again)
		return ARRIVAL_HOLD;
	source->accepted = seq;
	source->sure = true;
	return ARRIVAL_ACCEPT;
}

int
sources_arrive(struct sources *sources, const char *name, uint64_t seq, bool again,
	uint64_t realtime_ns, enum arrival *out)
{
	struct source *source = find_or_add(sources, name);
	if (source == NULL)
		return -1;
	source->changed_ns = realtime_ns;
	if (seq <= source->latest)
		source->complete = source->unbroken;
	source->unbroken = true;
	source->latest = seq;
	*out = eval_arrival(sources, source, seq, again);
	return 0;
}

int
sources_number(struct sources *sources, const char *name, uint64_t least, uint64_t realtime_ns,
	uint64_t *seq)
{
	struct source *source = find_or_add(sources, name);
	if (source == NULL)
		return -1;
	source->changed_ns = realtime_ns;
	*seq = source->accepted < least ? least : source->accepted + 1;
	source->accepted = *seq;
	return 0;
}

enum arrival
sources_follow(struct sources *sources, const char *name, uint64_t seq)
{
	struct source *source = sources_find(sources, name);
	/* The stream was forgotten, so nothing else is known. */
	if (source == NULL)
		return ARRIVAL_ACCEPT;
	if (seq > source->accepted + 1)
		return ARRIVAL_HOLD;
	if (seq <= source->accepted && !is_missing(source, seq))
		return ARRIVAL_KNOWN;
	if (seq > source->accepted)
		source->accepted = seq;
	return ARRIVAL_ACCEPT;
}

void
sources_give_up(struct sources *sources, const char *name, uint64_t seq)
{
	struct source *source = sources_find(sources, name);
	if (source == NULL || seq <= source->accepted)
		return;
	if (seq > source->accepted + 1) {
		if (source->missing_from == 0)
			source->missing_from = source->accepted + 1;
		source->missing_to = seq - 1;
	}
	source->accepted = seq;
}

void
sources_settle(struct sources *sources, const char *name)
{
	struct source *source = sources_find(sources, name);
	if (source != NULL)
		source->sure = source->unbroken;
}

int
sources_mark(struct sources *sources, const struct mark *mark, uint64_t realtime_ns)
{
	bool is_known = sources_find(sources, mark->source) != NULL;
	struct source *source = find_or_add(sources, mark->source);
	if (source == NULL)
		return -1;
	sources->by_marks = source->is_marked = true;
	source->changed_ns = realtime_ns;
	if (is_known && mark->after > source_bound(source))
		return 0;
	if (source->missing_from != 0 && mark->seq >= source->missing_from)
		close_gap(source, mark->seq);
	if (mark->seq > source->accepted)
		source->accepted = mark->seq;
	return 0;
}

bool
sources_have_marks(const struct sources *sources)
{
	for (size_t i = 0; i < sources->count && sources->by_marks; i++) {
		const struct source *source = &sources->items[i];
		if (source->is_marked && source->stored < source_bound(source))
			return true;
	}
	return false;
}

void
sources_doubt(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		struct source *source = &sources->items[i];
		source->sure = source->unbroken = source->complete = false;
	}
}

uint64_t
source_bound(const struct source *source)
{
	return source->missing_from != 0 ? source->missing_from - 1 : source->accepted;
}

void
sources_kept(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		sources->items[i].stored = source_bound(&sources->items[i]);
}

void
sources_note_kept(struct sources *sources, const struct sources *kept)
{
	for (size_t i = 0; i < kept->count; i++) {
		struct source *source = sources_find(sources, kept->items[i].name);
		if (source != NULL)
			source->stored = source_bound(&kept->items[i]);
	}
}

int
sources_copy_unkept(const struct sources *sources, struct sources *out)
{
	*out = (struct sources){.acknowledges = sources->acknowledges};
	for (size_t i = 0; i < sources->count; i++) {
		const struct source *source = &sources->items[i];
		if (source_bound(source) == source->stored)
			continue;
		struct source *copy = find_or_add(out, source->name);
		if (copy == NULL)
			return -1;
		char *name = copy->name;
		*copy = *source;
		copy->name = name;
	}
	return 0;
}

bool
sources_delivered(struct sources *sources)
{
	bool is_news = false;
	for (size_t i = 0; i < sources->count; i++) {
		struct source *source = &sources->items[i];
		is_news |= source->delivered < source->stored;
		if (source->delivered < source->stored)
			source->delivered = source->stored;
	}
	return is_news;
}

/* Return an object of the number at `offset` of each struct source. */
static json_t *
seqs_new(const struct sources *sources, size_t offset)
{
	json_t *seqs = json_object();
	for (size_t i = 0; i < sources->count; i++) {
		const struct source *source = &sources->items[i];
		uint64_t number;
		memcpy(&number, (const char *)source + offset, sizeof number);
		if (json_object_set_new(seqs, source->name, json_integer((json_int_t)number)) < 0) {
			json_decref(seqs);
			return NULL;
		}
	}
	return seqs;
}

json_t *
sources_acks_new(const struct sources *sources)
{
	return seqs_new(sources, offsetof(struct source, stored));
}

json_t *
sources_delivered_new(const struct sources *sources)
{
	return seqs_new(sources, offsetof(struct source, delivered));
}

void
sources_acked(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		sources->items[i].acked = sources->items[i].stored;
}

void
sources_fini(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		free(sources->items[i].name);
	free(sources->items);
	*sources = (struct sources){0};
}
