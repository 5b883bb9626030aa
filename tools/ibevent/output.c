/* output - merges records and writes them to stdout without waiting for a slow reader. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include "eventmetrics.h"
#include "ingerometrics.h"
#include "line.h"

#include <errno.h>
#include <unistd.h>

/* If poll(2) reports a pipe as writable, it accepts PIPE_BUF bytes without blocking, and no record
 * is longer. */
static bool
has_room(const struct output *output)
{
	struct pollfd stdout_now = {.fd = STDOUT_FILENO, .events = POLLOUT};
	return poll(&stdout_now, 1, output->waits ? -1 : 0) > 0;
}

static bool
write_notice(struct output *output, const struct notice *notice)
{
	char line[REC_EVENT_MAX_BYTES];
	if (output->error != 0 || !has_room(output))
		return false;
	size_t length = notice_format(notice, output->node, line);
	if (line_write(STDOUT_FILENO, line, length) < 0)
		output->error = errno;
	return output->error == 0;
}

/* Return false if stdout still has no room or failed. */
static bool
write_gaps(struct output *output)
{
	for (enum via via = 0; via < VIA_N; via++) {
		struct notice gap = {.kind = NOTICE_GAP, .via = via, .count = output->dropped[via]};
		if (gap.count == 0)
			continue;
		clock_now(&gap.when);
		if (!write_notice(output, &gap))
			return false;
		eventmetrics_count(output->metrics, &gap);
		output->dropped[via] = 0;
	}
	return true;
}

/* A dropped gap of unknown size counts as one lost event, which is a lower bound. */
static void
pass(void *context, const struct notice *notice)
{
	struct output *output = context;
	if (!write_gaps(output) || !write_notice(output, notice))
		output->dropped[notice->via] += notice->count > 0 ? notice->count : 1;
}

void
output_accept(struct output *output, struct notice *notice)
{
	clock_now(&notice->when);
	eventmetrics_count(output->metrics, notice);
	if (output->ingero_names && notice->kind == NOTICE_ASYNC && notice->via == VIA_VERBS)
		ingerometrics_count(
			output->metrics, notice->event, notice->fabric_error, notice->count);
	merger_accept(&output->merger, notice, pass, output);
}

void
output_gap(struct output *output, enum via via)
{
	struct notice gap = {.kind = NOTICE_GAP, .via = via};
	output_accept(output, &gap);
}

void
output_expire(struct output *output, bool is_last)
{
	struct clock_moment now;
	clock_now(&now);
	write_gaps(output);
	if (is_last)
		merger_flush(&output->merger, now.boottime_ns, pass, output);
	else
		merger_expire(&output->merger, now.boottime_ns, pass, output);
}

uint64_t
output_patience_ns(const struct output *output)
{
	struct clock_moment now;
	uint64_t deadline_ns = merger_deadline_ns(&output->merger);
	if (deadline_ns == UINT64_MAX)
		return UINT64_MAX;
	clock_now(&now);
	return deadline_ns > now.boottime_ns ? deadline_ns - now.boottime_ns : 0;
}

static bool
has_dropped(const struct output *output)
{
	uint64_t dropped = 0;
	for (enum via via = 0; via < VIA_N; via++)
		dropped |= output->dropped[via];
	return dropped != 0;
}

struct pollfd
output_pollfd(const struct output *output)
{
	return (struct pollfd){.fd = STDOUT_FILENO, .events = has_dropped(output) ? POLLOUT : 0};
}

void
output_accept_poll(struct output *output, short revents)
{
	if ((revents & (POLLERR | POLLHUP)) != 0 && output->error == 0)
		output->error = EPIPE;
	else if ((revents & POLLNVAL) != 0)
		output->error = EBADF;
}
