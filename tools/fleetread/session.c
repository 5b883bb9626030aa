/* session - one run of fleetread: messages in, records and marks out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

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

/* How long it waits for a message before it looks whether anything else is to be done; a shorter
 * time when a mark is due as soon as there is nothing more to read. */
#define LOOK_MS 500
#define SOON_MS 20

/* How often it looks whether a source that is silent has been made anew. */
#define CHECK_NS (10 * NUM_NS_PER_S)

/* A mark is due after so many messages, or so much time, however many more there are; sooner when
 * there are no more, but not for each message that comes alone: each is stored by all behind us. */
#define MARK_MESSAGES 1000
#define MARK_NS NUM_NS_PER_S
#define MARK_IDLE_NS (NUM_NS_PER_S / 5)

/* How long it waits before it tries to connect again: longer each time. */
#define RETRY_FIRST_NS (NUM_NS_PER_S / 2)
#define RETRY_LAST_NS (30 * NUM_NS_PER_S)

struct session {
	const struct session_options *options;
	struct feed *feed;
	char source[MARK_SOURCE_MAX + 1]; /* that it reads, and of its marks; "": not known yet */
	uint64_t origin;                  /* where it begins if the acks say nothing */
	uint64_t position;                /* the last number that was written, or passed over */
	uint64_t marked;                  /* the last that a mark was written for */
	uint64_t marked_ns;               /* when, CLOCK_MONOTONIC */
	struct stat seen;                 /* the acks file, as it was read last */
	bool acks_bad;                    /* it was not an acks file, which has been said */
	uint64_t acked;
	char receiver[ACKS_RECEIVER_SIZE];
	uint64_t looked_ns;  /* at the acks, CLOCK_MONOTONIC */
	uint64_t checked_ns; /* that it is still the same source */
	uint64_t retry_ns;   /* 0: the last attempt to connect went well */
	uint64_t skipped;    /* messages, since the last that was a record */
	struct rec_writer writer;
};

/* --- marks out, acknowledgements in --- */

/* 0, or -1 with errno. */
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

/* A mark, if one is to be written and says anything. `is_idle`: there is nothing more to read. 0,
 * or -1 with errno. */
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
		diag_warn("%s: %s: nothing counts as received", path, reason);
	session->acks_bad = error != ENOENT;
}

/* Reads the acks, if they have changed. True when there is another receiver than before, or it has
 * lost something. */
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
	uint64_t acked = acks_seq(acks.seqs, session->source);
	bool is_new = strcmp(acks.receiver, session->receiver) != 0 || acked < session->acked;
	session->acked = acked;
	strcpy(session->receiver, acks.receiver);
	acks_fini(&acks);
	return is_new;
}

/* --- where to read --- */

/* It is another than was read before: its numbers mean something else. */
static void
note_source(struct session *session)
{
	const struct feed *feed = session->feed;
	bool is_first = *session->source == '\0';
	if (!is_first)
		diag_warn("%s: it was made anew: read from its beginning", feed->name);
	strcpy(session->source, feed->source);
	session->origin = is_first && session->options->from == SESSION_FROM_NEW ? feed->last : 0;
	session->acked = 0;
	session->seen = (struct stat){0};
	receiver_is_new(session);
	session->position = session->acked > 0 ? session->acked : session->origin;
	session->marked = session->position;
}

/* Asks for what is behind the position. False when that did not work. */
static bool
ask(struct session *session)
{
	struct feed *feed = session->feed;
	if (session->position > 0 && feed->first > session->position + 1)
		diag_warn("%s: it no longer has what was to be read next: messages %" PRIu64
			  " to %" PRIu64 " are missing",
			feed->name, session->position + 1, feed->first - 1);
	return feed->kind->ask(feed, session->position);
}

/* A receiver that is new begins behind what it, or the one before it, has stored. 0, or -1 with
 * errno. */
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

/* True while somebody reads what is written. */
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
		diag_warn("%s: %s: trying again", session->feed->url, session->feed->reason);
		session->retry_ns = RETRY_FIRST_NS;
	}
	stop_poll(&out, 1, session->retry_ns);
	session->retry_ns = clock_earlier(2 * session->retry_ns, RETRY_LAST_NS);
}

/* Connects unless it is, and looks whether the source is still the one that is read. 0, also when
 * there is nothing to be read now, or -1 with errno. */
static int
look_at_source(struct session *session)
{
	struct feed *feed = session->feed;
	bool is_ok = feed->kind->connect(feed);
	bool is_new = is_ok && strcmp(feed->source, session->source) != 0;
	session->checked_ns = clock_monotonic_ns();
	if (is_new)
		note_source(session);
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

/* What is no record is no line for those who read records. */
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

/* 0, or -1 with errno. */
static int
accept_message(struct session *session, const struct feed_message *message)
{
	struct rec_error error;
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

/* 0, or -1 with errno. */
static int
read_message(struct session *session)
{
	struct feed *feed = session->feed;
	struct feed_message message;
	bool waits = session->options->acks_path != NULL && session->position > session->marked;
	enum feed_status status = feed->kind->next(feed, waits ? SOON_MS : LOOK_MS, &message);
	if (status == FEED_LOST) {
		wait_for_server(session);
		return 0;
	}
	if (status == FEED_NOTHING && mark_if_due(session, true) < 0)
		return -1;
	if (status == FEED_NOTHING)
		return clock_monotonic_ns() - session->checked_ns < CHECK_NS
			       ? 0
			       : look_at_source(session);
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
	/* What is closed below changes errno. */
	int code = status < 0 ? diag_io_failure("stdout") : 0;
	report_skipped(&session);
	feed->kind->close(feed);
	rec_writer_fini(&session.writer);
	return code;
}
