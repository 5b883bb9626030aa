/* session - one run of ctreval: records in, scans judged, state stored, events out, in this order. */
#include "session.h"

#include "acks.h"
#include "announce.h"
#include "diag.h"
#include "eval.h"
#include "filter.h"
#include "num.h"
#include "stop.h"
#include "store.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct session {
	const struct session_options *options;
	struct eval_setting setting;
	struct scan scan;
	struct state state;
	struct event_stream stream;
	struct outbox outbox;
	struct statefile file; /* the three above */
	struct store store;
	bool behind;      /* the receiver has more of the stream than this process knows of */
	bool overfull;    /* the outbox is as long as it may be, which has been said */
	bool forked;      /* the stream is not the stored one, see commit() */
	struct stat acks; /* the acks file as it was read last */
	bool acks_bad;    /* it was no acks file, which has been said */
	char last_ts[STATE_NAME_SIZE]; /* of the last scan; "" before the first */
	uint64_t last_boottime_ns;
	enum announced announced;
	struct rec_writer writer;
};

/* --- events out, acknowledgements in --- */

/* Drops from the outbox what the receiver says it has. */
static void
take_acks(struct session *session)
{
	struct stat now;
	const char *path = session->options->acks_path;

	if (path == NULL || stat(path, &now) < 0)
		return;
	if (now.st_ino == session->acks.st_ino && now.st_size == session->acks.st_size &&
		now.st_mtim.tv_sec == session->acks.st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == session->acks.st_mtim.tv_nsec)
		return;
	json_t *acks = acks_read_new(path);
	if (acks == NULL) {
		if (!session->acks_bad && errno != ENOENT)
			diag_warn("%s: %s: no event is taken for received", path,
				errno == EBADMSG ? "not an acks file" : strerror(errno));
		session->acks_bad = errno != ENOENT;
		return;
	}
	session->acks_bad = false;
	session->acks = now;
	if (outbox_trim(&session->outbox, acks))
		session->state.changed = true;
	session->behind = *session->stream.source != '\0' &&
			  acks_seq(acks, session->stream.source) > session->stream.seq;
	json_decref(acks);
}

static int
write_all(struct session *session, const json_t *records)
{
	size_t i;
	const json_t *record;
	json_array_foreach (records, i, record) {
		if (rec_write(&session->writer, record) < 0)
			return -1;
	}
	return 0;
}

/* What the last run decided and nobody has acknowledged goes first, as it was. */
static int
resend(struct session *session)
{
	take_acks(session);
	if (write_all(session, session->outbox.events) < 0)
		return diag_io_failure("stdout");
	if (session->options->acks_path == NULL && outbox_clear(&session->outbox))
		session->state.changed = true;
	return 0;
}

static bool
is_due(const struct session *session)
{
	uint64_t now_ns = session->last_boottime_ns, saved_ns = session->store.saved_ns;
	if (session->state.changed || session->store.failing)
		return true;
	return session->state.touched && (now_ns < saved_ns || now_ns - saved_ns >= STORE_LAG_NS);
}

/* 0, or -1 after a warning. */
static int
save(struct session *session)
{
	if (store_save(&session->store, &session->file, session->setting.counters, session->last_ts,
		    session->last_boottime_ns) < 0)
		return -1;
	session->state.changed = session->state.touched = session->forked = false;
	return 0;
}

/* Decisions that name an event name it as it is called now. */
static void
refer_to(const json_t *decisions, const json_t *old_id, json_t *id)
{
	size_t i;
	json_t *decision;
	json_array_foreach (decisions, i, decision) {
		if (json_equal(json_object_get(decision, "event"), old_id))
			json_object_set(decision, "event", id);
	}
}

/* Stores the state with the events in it. When that fails, the events go out all the same, but as another stream's: after a restart from the file
 * as it is now, this stream would give their numbers to other events, which the receiver would take for the same ones. */
static int
commit(struct session *session, const struct eval_result *result)
{
	size_t i;
	json_t *event;

	take_acks(session);
	if (outbox_add(&session->outbox, result->events) < 0)
		return -1;
	if (!is_due(session) || save(session) == 0 || session->forked)
		return 0;
	session->forked = true;
	event_stream_fork(&session->stream, session->last_ts);
	json_array_foreach (result->events, i, event) {
		json_t *old_id = json_incref(json_object_get(event, "id"));
		int status = event_restamp(&session->stream, event);
		if (status == 0)
			refer_to(result->decisions, old_id, json_object_get(event, "id"));
		json_decref(old_id);
		if (status < 0)
			return -1;
	}
	return 0;
}

/* After the events were written. */
static void
settle_outbox(struct session *session)
{
	if (session->options->acks_path == NULL) {
		if (outbox_clear(&session->outbox))
			session->state.changed = true;
		return;
	}
	size_t dropped = outbox_bound(&session->outbox);
	if (dropped > 0 && !session->overfull)
		diag_warn("%s: no acknowledgement for %d events: the oldest are kept no longer",
			session->options->acks_path, OUTBOX_EVENTS_MAX);
	session->overfull = json_array_size(session->outbox.events) == OUTBOX_EVENTS_MAX;
	if (dropped > 0)
		session->state.changed = true;
}

/* --- scans --- */

/* The first scan is what a stream of events is named after; the node's name may change. */
static void
name_stream(struct session *session)
{
	const struct scanrec_begin *begin = &session->scan.begin;
	if (*session->stream.source == '\0')
		event_stream_init(&session->stream, "ctreval", begin->node, begin->boot_id,
			begin->ts, session->options->strategy);
	else
		event_stream_set_node(&session->stream, begin->node);
	if (session->behind) {
		/* An older state file was put back. What the receiver has under a number it would not take again. */
		diag_warn(
			"%s: the receiver knows later events than the state file: going on under another source",
			session->options->acks_path);
		event_stream_fork(&session->stream, begin->ts);
		session->state.changed = true;
		session->behind = false;
	}
}

/* Judges the scan, stores what follows, writes the events. 0, or -1 with errno. */
static int
judge_scan(struct session *session)
{
	struct eval_result result;
	size_t i;
	const json_t *note;

	int status = eval_scan(
		&session->setting, &session->state, &session->stream, &session->scan, &result);
	json_array_foreach (result.notes, i, note)
		diag_note("%s", json_string_value(note));
	if (status == 0 && session->store.path != NULL)
		status = commit(session, &result);
	if (status < 0) {
		errno = ENOMEM;
	} else {
		status = write_all(session, session->store.found);
		if (status == 0)
			status = write_all(session, result.events);
		if (status == 0)
			status = write_all(session, result.decisions);
		json_decref(session->store.found);
		session->store.found = NULL;
		if (session->store.path != NULL)
			settle_outbox(session);
	}
	int saved_errno = errno;
	eval_result_fini(&result);
	errno = saved_errno;
	return status;
}

/* Judges what was gathered, whole or not: a port that was read is evidence about itself. */
static int
finish_scan(struct session *session)
{
	const struct scanrec_begin *begin = &session->scan.begin;

	name_stream(session);
	state_copy(session->last_ts, sizeof session->last_ts, begin->ts);
	session->last_boottime_ns = begin->boottime_ns;
	if (announce(&session->announced, &session->setting, &session->scan) < 0) {
		errno = ENOMEM;
		return -1;
	}
	if (!session->scan.whole)
		diag_warn("scan %lld is incomplete: only what it has is judged",
			(long long)begin->scan);
	int status = judge_scan(session);
	int saved_errno = errno;
	scan_clear(&session->scan);
	errno = saved_errno;
	return status;
}

/* --- input --- */

static int
take_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct session *session = context;
	struct rec_error error;
	enum scanrec_kind kind = scanrec_kind(record->json);

	if (kind == SCANREC_OTHER)
		return filter_pass(record);
	if (kind == SCANREC_BEGIN && session->scan.open) {
		session->scan.whole = false;
		if (finish_scan(session) < 0) {
			json_decref(record->json);
			return -1;
		}
	}
	switch (scan_take(&session->scan, kind, record->json, &error)) {
	case SCAN_TAKEN:
	case SCAN_IGNORED:
		return 0;
	case SCAN_FINISHED:
		return finish_scan(session);
	case SCAN_BAD:
		intake_reject(intake, &error);
		/* An end that cannot be read still ends the scan. */
		return kind == SCANREC_END ? finish_scan(session) : 0;
	case SCAN_NO_MEMORY:
		errno = ENOMEM;
		return -1;
	}
	return 0;
}

static void
lose_line(void *context)
{
	((struct session *)context)->scan.whole = false;
}

static int
end_input(void *context)
{
	struct session *session = context;
	/* Who is asked to stop in the middle of a scan has not seen it. */
	if (session->scan.open && !stop_requested()) {
		session->scan.whole = false;
		if (finish_scan(session) < 0)
			return -1;
	}
	if (session->store.path != NULL && *session->last_ts != '\0' &&
		(session->state.touched || session->state.changed || session->store.failing))
		save(session);
	return 0;
}

static const struct filter filter = {.take = take_record, .lose = lose_line, .end = end_input};

/* --- the run --- */

/* Which ports and devices there are depends on these two. */
static char *
scope_new(const struct conf *conf)
{
	char *scope;
	return asprintf(&scope, "exclude %s include %s", conf->exclusion_text,
		       conf->inclusion_text) < 0
		       ? NULL
		       : scope;
}

/* Takes up what the last run has left. Returns 0 or the exit code. */
static int
restore(struct session *session, const struct conf *conf)
{
	struct state *state = &session->state;
	char *scope = scope_new(conf);
	if (scope == NULL) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	int status = store_open(&session->store, session->options->state_path, &conf->counters,
		conf->counter_detection, &session->file);
	if (status == 0 && state->scope != NULL && strcmp(state->scope, scope) != 0) {
		diag_note(
			"which NICs are monitored has changed: ports and devices are learned again");
		state_forget_scope(state);
	}
	free(state->scope);
	state->scope = scope;
	/* Without a file everything is as after a boot. */
	if (session->store.fresh)
		state->baseline_owed = true;
	session->stream.strategy = session->options->strategy;
	return status;
}

static struct eval_setting
setting_of(const struct session_options *options, const struct conf *conf)
{
	struct eval_setting setting = {
		.counters = &conf->counters,
		.counter_detection = conf->counter_detection,
		.fatal_counters_as_degradation = conf->fatal_counters_as_degradation,
		.settle_ns = (uint64_t)conf->settle_seconds * NUM_NS_PER_S,
		.confirm_scans = conf->confirm_scans,
		.clear_check = conf->clear_check,
		.baselines = options->state_path != NULL || options->baseline,
		.explain = options->explain,
		.exclusion = &conf->exclusion,
		.inclusion = &conf->inclusion,
	};
	memcpy(setting.enabled, options->enabled, sizeof setting.enabled);
	return setting;
}

static int
run(struct session *session, const struct conf *conf)
{
	int status = 0;

	if (session->options->state_path == NULL) {
		session->state.baseline_owed = session->options->baseline;
	} else {
		/* A state file that may grow no further is a write that fails, not the end of monitoring. */
		signal(SIGXFSZ, SIG_IGN);
		/* With something to finish: what was learned since the last write. */
		if (stop_catch() < 0)
			return diag_io_failure("signals");
		status = restore(session, conf);
		if (status == 0)
			status = resend(session);
	}
	return status != 0 ? status : filter_run(&filter, session);
}

int
session_run(const struct session_options *options, const struct conf *conf)
{
	struct session session = {
		.options = options, .setting = setting_of(options, conf), .store.lock_fd = -1};

	session.file = (struct statefile){
		.state = &session.state, .stream = &session.stream, .outbox = &session.outbox};
	rec_writer_init(&session.writer, STDOUT_FILENO);
	state_init(&session.state, conf->counters.count);
	int status = EXIT_OS;
	if (outbox_init(&session.outbox) < 0)
		diag_error("out of memory");
	else
		status = run(&session, conf);
	json_decref(session.store.found);
	store_close(&session.store);
	scan_fini(&session.scan);
	state_fini(&session.state);
	outbox_fini(&session.outbox);
	rec_writer_fini(&session.writer);
	return status;
}
