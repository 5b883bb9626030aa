/* merger - merges repeats of a notice into a count. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "merger.h"

#include <string.h>

/* CLOCK_BOOTTIME never steps back, so the difference cannot wrap. */
static bool
is_over(const struct merger_entry *entry, uint64_t now_ns)
{
	return now_ns - entry->since_ns >= MERGER_WINDOW_NS;
}

void
merger_flush(struct merger *merger, uint64_t now_ns, merger_pass *pass, void *context)
{
	for (size_t i = 0; i < merger->count; i++) {
		struct merger_entry *entry = &merger->entries[i];
		if (!entry->holds)
			continue;
		entry->holds = false;
		entry->since_ns = now_ns;
		pass(context, &entry->notice);
	}
}

static void
forget(struct merger *merger, uint64_t now_ns)
{
	size_t kept = 0;
	for (size_t i = 0; i < merger->count; i++)
		if (merger->entries[i].holds || !is_over(&merger->entries[i], now_ns))
			merger->entries[kept++] = merger->entries[i];
	merger->count = kept;
}

void
merger_expire(struct merger *merger, uint64_t now_ns, merger_pass *pass, void *context)
{
	bool due = false;
	for (size_t i = 0; i < merger->count; i++)
		due |= merger->entries[i].holds && is_over(&merger->entries[i], now_ns);
	if (due)
		merger_flush(merger, now_ns, pass, context);
	forget(merger, now_ns);
}

static struct merger_entry *
find(struct merger *merger, const struct notice *notice)
{
	for (size_t i = 0; i < merger->count; i++)
		if (notice_is_same(&merger->entries[i].notice, notice))
			return &merger->entries[i];
	return NULL;
}

/* A gap of unknown size makes the sum unknown, which is 0. */
static uint64_t
sum(const struct notice *held, const struct notice *notice)
{
	bool unknown = held->kind == NOTICE_GAP && (held->count == 0 || notice->count == 0);
	return unknown ? 0 : held->count + notice->count;
}

static void
hold(struct merger *merger, struct merger_entry *entry, const struct notice *notice)
{
	struct merger_entry held = *entry;
	struct merger_entry *last = &merger->entries[merger->count - 1];
	uint64_t count = held.holds ? sum(&held.notice, notice) : notice->count;
	held.notice = *notice;
	held.notice.count = count;
	held.holds = true;
	memmove(entry, entry + 1, (size_t)(last - entry) * sizeof *entry);
	*last = held;
}

void
merger_accept(struct merger *merger, const struct notice *notice, merger_pass *pass, void *context)
{
	uint64_t now_ns = notice->when.boottime_ns;
	merger_expire(merger, now_ns, pass, context);
	struct merger_entry *entry = find(merger, notice);
	if (entry != NULL) {
		hold(merger, entry, notice);
		return;
	}
	merger_flush(merger, now_ns, pass, context);
	if (merger->count < MERGER_MAX)
		merger->entries[merger->count++] =
			(struct merger_entry){.notice = *notice, .since_ns = now_ns};
	pass(context, notice);
}

uint64_t
merger_deadline_ns(const struct merger *merger)
{
	uint64_t earliest_ns = UINT64_MAX;
	for (size_t i = 0; i < merger->count; i++)
		if (merger->entries[i].holds)
			earliest_ns = clock_earlier(
				earliest_ns, merger->entries[i].since_ns + MERGER_WINDOW_NS);
	return earliest_ns;
}
