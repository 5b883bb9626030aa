/* session - one run of fleetread: messages in, records and marks out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "../emit/hostfiles.h"
#include "acks.h"
#include "atomfile.h"
#include "clock.h"
#include "diag.h"
#include "line.h"
#include "mark.h"
#include "num.h"
#include "rec.h"
#include "sighting.h"
#include "stop.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Timeout for the next message: the usual one, and a shorter one while a mark is pending. */
#define LOOK_MS 500
#define SOON_MS 20

/* How often an idle source is checked for being recreated. */
#define CHECK_NS (10 * NUM_NS_PER_S)

/* Shortest time between two checks whether missing messages have left the source. */
#define GAP_NS NUM_NS_PER_S

/* A mark is due after this many messages or this much time, and sooner when no more messages are
 * available. Not after each single message, because every later stage stores each mark. */
#define MARK_MESSAGES 1000
#define MARK_NS NUM_NS_PER_S
#define MARK_IDLE_NS (NUM_NS_PER_S / 5)

/* Delay before a new attempt to connect; doubles each time. */
#define RETRY_FIRST_NS (NUM_NS_PER_S / 2)
#define RETRY_LAST_NS (30 * NUM_NS_PER_S)

struct session {
	const struct session_options *options;
	struct feed *feed;
	char served[MARK_SOURCE_MAX + 1]; /* server's name for the source; "": unknown yet */
	uint64_t returns;                 /* how often the source came back with fewer messages */
	char source[MARK_SOURCE_MAX + 1]; /* name in messages and marks; new after each return */
	uint64_t origin;                  /* start position if the acks have none */
	uint64_t position;                /* last number written or skipped */
	/* First and last number skipped by later ones since the last check: they belong to another
	 * fabric or are gone. 0: none. */
	uint64_t gap_first, gap_last;
	uint64_t marked;    /* last number that a mark covers */
	uint64_t marked_ns; /* time of that mark, CLOCK_MONOTONIC */
	struct stat seen;   /* acks file when last read */
	bool acks_bad;      /* a malformed acks file was reported */
	uint64_t acked;
	char receiver[ACKS_RECEIVER_SIZE];
	uint64_t looked_ns;  /* last read of the acks, CLOCK_MONOTONIC */
	uint64_t checked_ns; /* last check of the source */
	uint64_t retry_ns;   /* 0: the last attempt to connect succeeded */
	uint64_t skipped;    /* messages since the last valid record */
	struct rec_writer writer;
};

/* --- marks out, acknowledgements in --- */

/* Return 0, or -1 with errno. */
static int
write_mark(struct session *session)
{
	json_t *mark = mark_new(session->source, session->marked, session->position);
	int status = mark != NULL ? rec_write(&session->writer, mark) : -1;
	json_decref(mark);
	session->marked = session->position;
	session->marked_ns = clock_monotonic_ns();
	return status;
}

/* Write a mark if one is due and covers new messages. `is_idle`: no more messages are available.
 * Return 0, or -1 with errno. */
static int
mark_if_due(struct session *session, bool is_idle)
{
	uint64_t behind = session->position - session->marked;
	if (session->options->acks_path == NULL || behind == 0)
		return 0;
	uint64_t since_ns = clock_monotonic_ns() - session->marked_ns;
	bool is_due = behind >= MARK_MESSAGES || since_ns >= (is_idle ? MARK_IDLE_NS : MARK_NS);
	return is_due ? write_mark(session) : 0;
}

static void
note_bad_acks(struct session *session, const char *path, int error)
{
	char reason[OWNFILE_REASON_SIZE];
	acks_explain(path, error, reason);
	if (!session->acks_bad && error != ENOENT)
		diag_warn("%s: %s: treating no event as stored", path, reason);
	session->acks_bad = error != ENOENT;
}

/* Write the name that the source has in marks after so many returns. */
static void
name_source(const struct session *session, uint64_t returns, char name[MARK_SOURCE_MAX + 1])
{
	if (returns == 0)
		strcpy(name, session->served);
	else
		snprintf(name, MARK_SOURCE_MAX + 1, "%.*s-%u", MARK_SOURCE_MAX - 6, session->served,
			(unsigned)returns + 1);
}

/* Use the latest name of the source in the acks: an earlier run may have seen it come back. */
static void
follow_returns(struct session *session, const json_t *seqs)
{
	char next[MARK_SOURCE_MAX + 1];
	while (name_source(session, session->returns + 1, next), acks_seq(seqs, next) > 0) {
		strcpy(session->source, next);
		session->returns++;
	}
}

/* Read the acks file if it changed. Return true if the receiver is another one or has lost
 * events. */
static bool
receiver_is_new(struct session *session)
{
	struct acks acks;
	struct stat now;
	const char *path = session->options->acks_path;
	if (path == NULL || !atomfile_has_changed(path, &session->seen, &now))
		return false;
	if (acks_read(&acks, path) < 0) {
		note_bad_acks(session, path, errno);
		return false;
	}
	session->acks_bad = false;
	session->seen = now;
	follow_returns(session, acks.seqs);
	uint64_t acked = acks_seq(acks.seqs, session->source);
	bool is_new = strcmp(acks.receiver, session->receiver) != 0 || acked < session->acked;
	session->acked = acked;
	strcpy(session->receiver, acks.receiver);
	acks_fini(&acks);
	return is_new;
}

/* --- position --- */

/* The source is new or was recreated: its numbers have another meaning. */
static void
note_source(struct session *session)
{
	const struct feed *feed = session->feed;
	bool is_first = *session->served == '\0';
	if (!is_first)
		diag_warn("%s: it was recreated: reading it from its beginning", feed->name);
	strcpy(session->served, feed->source);
	strcpy(session->source, feed->source);
	session->returns = 0;
	session->gap_first = 0;
	session->origin = is_first && session->options->from == SESSION_FROM_NEW ? feed->last : 0;
	session->acked = 0;
	session->seen = (struct stat){0};
	receiver_is_new(session);
	session->position = session->acked > 0 ? session->acked : session->origin;
	session->marked = session->position;
}

/* Start over under a new name: after a backup was restored, numbers mean other messages. */
static void
note_return(struct session *session)
{
	diag_warn("%s: it has fewer messages than were read: reading it from its beginning",
		session->feed->name);
	session->returns++;
	name_source(session, session->returns, session->source);
	session->origin = session->acked = session->position = session->marked = 0;
	session->gap_first = 0;
}

/* Report the part of the gap that the source, just checked, no longer has: it cannot come. */
static void
report_gap(struct session *session)
{
	const struct feed *feed = session->feed;
	uint64_t last = session->gap_last < feed->first ? session->gap_last : feed->first - 1;
	if (session->gap_first > 0 && session->gap_first < feed->first)
		diag_warn("%s: messages %" PRIu64 " to %" PRIu64
			  " were deleted before they were read: those of this fabric are missing",
			feed->name, session->gap_first, last);
	session->gap_first = 0;
}

/* Request the messages after the position. Return false on failure. */
static bool
ask(struct session *session)
{
	struct feed *feed = session->feed;
	report_gap(session);
	session->gap_first = session->position > 0 ? session->position + 1 : 0;
	session->gap_last = UINT64_MAX;
	report_gap(session);
	return feed->kind->ask(feed, session->position);
}

/* If the receiver changed, restart after what it acknowledged. Return 0, or -1 with errno. */
static int
follow_receiver(struct session *session)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (now_ns - session->looked_ns < LOOK_MS * NUM_NS_PER_MS)
		return 0;
	session->looked_ns = now_ns;
	if (!receiver_is_new(session))
		return 0;
	session->position = session->acked > 0 ? session->acked : session->origin;
	session->marked = session->position;
	if (write_mark(session) < 0)
		return -1;
	if (session->feed->kind->connect(session->feed))
		ask(session);
	return 0;
}

/* Return false if stdout has no reader any more. */
static bool
is_read(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	return poll(&out, 1, 0) <= 0 || (out.revents & POLLERR) == 0;
}

/* --- connecting --- */

static void
wait_for_server(struct session *session)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	if (session->retry_ns == 0) {
		diag_warn("%s: %s: retrying", session->feed->url, session->feed->reason);
		session->retry_ns = RETRY_FIRST_NS;
	}
	hostfiles_report_replaced();
	stop_poll(&out, 1, session->retry_ns);
	session->retry_ns = clock_earlier(2 * session->retry_ns, RETRY_LAST_NS);
}

/* Connect if necessary and check whether the source is still the same. Return 0 (even if nothing
 * can be read now), or -1 with errno. */
static int
look_at_source(struct session *session)
{
	struct feed *feed = session->feed;
	bool is_ok = feed->kind->connect(feed);
	bool is_new = is_ok && strcmp(feed->source, session->served) != 0;
	session->checked_ns = clock_monotonic_ns();
	if (is_new)
		note_source(session);
	if (is_ok && feed->last < session->position) {
		note_return(session);
		is_new = true;
	}
	if (is_ok)
		report_gap(session);
	if (is_new && session->options->acks_path != NULL && write_mark(session) < 0)
		return -1;
	if (is_ok && (is_new || !feed->is_reading))
		is_ok = ask(session);
	if (!is_ok) {
		wait_for_server(session);
		return 0;
	}
	if (session->retry_ns > 0)
		diag_note("%s: reading again", feed->url);
	session->retry_ns = 0;
	return 0;
}

/* --- messages --- */

/* Later stages read one record per line, so reject anything else. */
static bool
is_record(const struct feed_message *message, struct rec_error *error)
{
	if (message->length >= LINE_RECORD_MAX_BYTES) {
		rec_refuse(error, "longer than a record may be");
		return false;
	}
	if (memchr(message->text, '\n', message->length) != NULL) {
		rec_refuse(error, "more than one line");
		return false;
	}
	struct sighting *quick = sighting_read_new(message->text, message->length);
	json_t *record =
		quick == NULL ? rec_parse_new(message->text, message->length, error) : NULL;
	bool is_one = quick != NULL || record != NULL;
	sighting_release(quick);
	json_decref(record);
	return is_one;
}

static void
report_skipped(struct session *session)
{
	if (session->skipped > 1)
		diag_warn("%s: messages skipped after it: %" PRIu64, session->feed->name,
			session->skipped - 1);
	session->skipped = 0;
}

/* Return 0, or -1 with errno. */
static int
accept_message(struct session *session, const struct feed_message *message)
{
	struct rec_error error;
	if (session->feed->first > 0 && session->position > 0 &&
		message->number > session->position + 1) {
		if (session->gap_first == 0)
			session->gap_first = session->position + 1;
		session->gap_last = message->number - 1;
	}
	session->position = message->upto;
	if (!is_record(message, &error)) {
		if (session->skipped++ == 0)
			diag_warn("%s: message %" PRIu64 ": skipped: %s", session->feed->name,
				message->number, error.reason);
		return 0;
	}
	report_skipped(session);
	return rec_write_text(&session->writer, message->text, message->length);
}

/* Move the position to the end of the source if nothing came since the source was checked: the rest
 * belongs to other fabrics, and may leave without a report. */
static void
pass_over(struct session *session)
{
	struct feed *feed = session->feed;
	if (feed->kind->is_drained != NULL && feed->last > session->position &&
		feed->kind->is_drained(feed))
		session->position = feed->last;
}

/* Return 0, or -1 with errno. */
static int
read_message(struct session *session)
{
	struct feed *feed = session->feed;
	struct feed_message message;
	if (session->gap_first > 0 && clock_monotonic_ns() - session->checked_ns >= GAP_NS)
		return look_at_source(session);
	bool waits = session->options->acks_path != NULL && session->position > session->marked;
	enum feed_status status = feed->kind->next(feed, waits ? SOON_MS : LOOK_MS, &message);
	if (status == FEED_LOST) {
		wait_for_server(session);
		return 0;
	}
	if (status == FEED_NOTHING && mark_if_due(session, true) < 0)
		return -1;
	if (status == FEED_NOTHING && clock_monotonic_ns() - session->checked_ns < CHECK_NS)
		return 0;
	if (status == FEED_NOTHING) {
		pass_over(session);
		return look_at_source(session);
	}
	int written = accept_message(session, &message);
	feed->kind->give_back(&message);
	return written < 0 ? -1 : mark_if_due(session, false);
}

/* --- a run --- */

int
session_run(const struct session_options *options, struct feed *feed)
{
	struct session session = {.options = options, .feed = feed};
	int status = 0;
	if (stop_catch() < 0)
		return diag_io_failure("signals");
	rec_writer_init(&session.writer, STDOUT_FILENO);
	while (status == 0 && !stop_requested()) {
		if (!feed->is_reading)
			status = look_at_source(&session);
		else if ((status = follow_receiver(&session)) == 0)
			status = read_message(&session);
		if (status == 0 && !is_read()) {
			errno = EPIPE;
			status = -1;
		}
	}
	if (status == 0 && options->acks_path != NULL && session.position != session.marked)
		status = write_mark(&session);
	/* Before close(), which changes errno. */
	int code = status < 0 ? diag_io_failure("stdout") : 0;
	report_skipped(&session);
	feed->kind->close(feed);
	rec_writer_fini(&session.writer);
	return code;
}
