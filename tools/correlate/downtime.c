/* downtime - total time that something was down within a sliding window. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "downtime.h"

#include "moment.h"

#include <string.h>

void
downtime_begin(struct downtime *downtime, uint64_t at_us)
{
	if (downtime->since_us == 0)
		downtime->since_us = at_us;
}

void
downtime_end(struct downtime *downtime, uint64_t at_us)
{
	if (downtime->since_us == 0)
		return;
	if (downtime->count == DOWNTIME_SPANS_MAX)
		memmove(downtime->spans, downtime->spans + 1,
			--downtime->count * sizeof downtime->spans[0]);
	downtime->spans[downtime->count++] =
		(struct downtime_span){.from_us = downtime->since_us, .to_us = at_us};
	downtime->since_us = 0;
}

void
downtime_set_back(struct downtime *downtime, uint64_t by_us)
{
	for (size_t i = 0; i < downtime->count; i++) {
		struct downtime_span *span = &downtime->spans[i];
		span->from_us = moment_earlier(span->from_us, by_us);
		span->to_us = moment_earlier(span->to_us, by_us);
	}
	/* 0 would mean "not down". */
	if (downtime->since_us > by_us)
		downtime->since_us -= by_us;
}

static uint64_t
length_after(uint64_t from_us, uint64_t to_us, uint64_t begin_us)
{
	uint64_t first_us = from_us > begin_us ? from_us : begin_us;
	return to_us > first_us ? to_us - first_us : 0;
}

uint64_t
downtime_total_us(const struct downtime *downtime, uint64_t within_us, uint64_t now_us)
{
	uint64_t begin_us = moment_earlier(now_us, within_us), total_us = 0;
	for (size_t i = 0; i < downtime->count; i++)
		total_us += length_after(
			downtime->spans[i].from_us, downtime->spans[i].to_us, begin_us);
	if (downtime->since_us != 0)
		total_us += length_after(downtime->since_us, now_us, begin_us);
	return total_us;
}

uint64_t
downtime_reach_us(
	const struct downtime *downtime, uint64_t within_us, uint64_t wanted_us, uint64_t now_us)
{
	uint64_t begin_us = moment_earlier(now_us, within_us);
	uint64_t total_us = downtime_total_us(downtime, within_us, now_us);
	if (total_us >= wanted_us)
		return now_us;
	uint64_t wait_us = wanted_us - total_us;
	/* A span that is sliding out of the window loses as much as the current one gains, so wait
	 * for its end as well. */
	for (size_t i = 0; i < downtime->count; i++)
		if (downtime->spans[i].from_us <= begin_us && begin_us < downtime->spans[i].to_us)
			wait_us += downtime->spans[i].to_us - begin_us;
	return moment_later(now_us, wait_us);
}
