/* emit - deliver event records to sinks. nichist, beside it, tells what its spool has.
 *
 *   main.c          what is to be done, exit; a test event to each sink, and what answered
 *   options.c       the command line
 *   delivery.c      the part of it about where events go, and how; nichist has it, too
 *   run.c           the loop between inputs, journal and sinks
 *   hostfiles.c     what a confined program needs to find hosts
 *
 *   in/             events as they come in; it needs nothing of the other rooms
 *     inputs.c        files, pipes and FIFOs, several at once
 *     facts.c         pure: what has to be known of an event, and the line that is delivered
 *     sources.c       pure: what came before, what is missing, what may be acknowledged
 *     held.c          pure: events that wait for one that is missing before them, or for more
 *
 *   store/          events as they are kept; it needs in/
 *     journal.c       all of them in one order, in memory or in the spool; journalspool.c is how
 *                     they get to the spool, journalread.c how they get out of both, journalask.c
 *                     what else sinks ask of it, journaldesk.c how it is
 *     batch.c         events as lines: those in memory, and some in a row, each parsed at most once
 *     desk.c          the spool by a thread of its own, so that a disk that hangs delays nobody
 *     worker.c        such a thread
 *     spool.c         events on disk, how many, and how far each sink has got
 *     spoolevents.c   events into it, and out of it
 *     schema.c        the spool's tables
 *     database.c      its file: locked, checked, moved aside when it is broken
 *     guard.c         its files while they are open, in case somebody cuts them short
 *     salvage.c       what can still be read of a broken one
 *     conditions.c    what is wrong with the node, from when to when
 *     keepsake.c      a copy in the acks of what stands, for when the spool is lost
 *     clearing.c      what a healthy event takes back, and which events came after their answer
 *     retention.c     how long events stay
 *
 *   out/            events as they are delivered; it needs store/
 *     sinkspec.c      pure: what --sink names, and all kinds of sinks there are
 *     sink.c          what all sinks have in common: order, failures, when to try again
 *     stream.c        how sinks work that take lines
 *     transport.c     what they are written to; linesinks.c has its kinds, journald.c one more
 *     journalentry.c  an event as an entry of systemd's journal
 *     filework.c      a file, by a thread of its own
 *     resolver.c      host names, looked up in the background
 *     request.c       how sinks work that take batches and answer; their kinds:
 *     wire.c          NVSentinel's Platform Connector; grpc.c is pure: the call
 *     webhook.c       CloudEvents
 *     nats.c          a stream of NATS JetStream: natsaddress.c, where it is, natsdial.c, the
 *                     connection, natslink.c publishes
 *     program.c       a program for each batch; starter.c is the process that starts it
 *     postgres.c      a database of PostgreSQL: pgaddress.c, pgdial.c, pglink.c stores
 *     courier.c       who waits for a library that takes requests to a server, in a thread
 *     alerts.c        what is one alert, how bad it is, and in an Alertmanager's words
 *     verdict.c       pure: what an answer means, in words
 *     http.c          requests and answers, by libcurl; curllib.c loads it, as natslib.c and
 *                     pqlib.c load theirs
 *     reply.c         an answer as it comes in, in bounded memory
 *     token.c         bearer tokens, and whose the files of tokens, keys and certificates are
 *
 *   What fleetread and fleetsetup have, too: hostfiles.c, token.c, natsaddress.c,
 *   natsdial.c, pgaddress.c, pgdial.c; and
 *   serveraddress.c the one server that a program uses: a stream's, or a database's
 *   serveroptions.c the options about it
 *
 *   ownmetrics.c    what is handed up in the page of --metrics-fd
 *   fault.c         points at which a test may have the process killed */
/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"
#include "confined.h"
#include "delivery.h"
#include "diag.h"
#include "jsonmemory.h"
#include "metrics.h"
#include "num.h"
#include "options.h"
#include "out/alerts.h"
#include "rec.h"
#include "sibling.h"
#include "stop.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- a test event --- */

/* Beyond the time that a request has, for what has no such time, as a connection over TCP. */
#define GRACE_NS (2 * NUM_NS_PER_S)

/* The event as a line, from malloc; NULL when memory ran out. */
static char *
line_new(const char *node, size_t *length)
{
	char stamp[CLOCK_STAMP_SIZE], source[NUM_U64_SIZE], id[NUM_U64_SIZE + 2];
	uint64_t now_ns = clock_realtime_ns();
	clock_format(now_ns, stamp);
	snprintf(source, sizeof source, "%016" PRIx64, now_ns);
	snprintf(id, sizeof id, "%s-1", source);
	json_t *event = json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:b, s:b, s:s, s:s, s:[s], s:[], "
				  "s:{}, s:s, s:s, s:s, s:s, s:i}",
		"kind", "event", "id", id, "version", 1, "agent", "nic-health-monitor",
		"componentClass", "NIC", "checkName", ALERTS_TEST_CHECK, "isFatal", 0, "isHealthy",
		1, "message", ALERTS_TEST_MESSAGE, "recommendedAction", "NONE", "errorCode",
		ALERTS_TEST_CODE, "entitiesImpacted", "metadata", "generatedTimestamp", stamp,
		"nodeName", node, "processingStrategy", "STORE_ONLY", "source", source, "seq", 1);
	char *line = event != NULL ? rec_dump_new(event, length) : NULL;
	json_decref(event);
	return line;
}

/* Says what has become of it at one sink. Whether it has taken it. */
static bool
report(const struct sink *sink)
{
	const char *answer = *sink->answer != '\0' ? sink->answer : "no answer in time";
	if (sink->tally.delivered > 0) {
		diag_note("sink %s: took the test event: %s, after %" PRIu64 " ms", sink_name(sink),
			answer, sink->took_ns / NUM_NS_PER_MS);
		return true;
	}
	diag_error("sink %s: did not take the test event: %s", sink_name(sink), answer);
	return false;
}

static int
report_all(const struct run *run)
{
	int status = 0;
	for (size_t i = 0; i < run->sink_count; i++) {
		if (!report(&run->sinks[i]))
			status = EXIT_UNAVAILABLE;
	}
	return status;
}

/* Sends the event to the sinks of `options`, whose journal keeps nothing, and says for each what it
 * answered. It is a healthy event of a check of its own, for storing only, so that no receiver does
 * anything but take it; an Alertmanager gets an alert that is over. Returns 0, EXIT_UNAVAILABLE
 * when a sink has not taken it, or another exit code. */
static int
test_sinks(struct run_options *options)
{
	struct run run;
	size_t length;
	char *line = line_new(options->setting.node, &length);
	options->setting.is_test = true;
	int status = run_init(&run, options);
	if (status == 0 && line == NULL)
		status = diag_no_memory();
	if (status == 0)
		status = run_accept(&run, line, length - 1);
	if (status == 0)
		status = run_try_once(&run, options->setting.timeout_ms * NUM_NS_PER_MS + GRACE_NS);
	if (status == 0)
		status = report_all(&run);
	status = run_fini(&run, status);
	free(line);
	return status;
}

/* --- events --- */

static int
deliver(struct options *options, char **operands)
{
	struct run run;
	int status = delivery_start(&options->run);
	if (status == 0)
		status = confined_enter(
			"emit", &options->run, options->run.journal.spool_path, operands);
	if (status != 0)
		return status;
	if (options->test_sink)
		return test_sinks(&options->run);
	status = metrics_open_option(options->metrics_fd, &options->run.metrics);
	if (status != 0)
		return status;
	status = run_init(&run, &options->run);
	if (status == 0)
		status = run_deliver(&run, operands);
	status = run_fini(&run, status);
	metrics_close(options->run.metrics);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options;
	int status;

	diag_init("emit");
	jsonmemory_require();
	int first = options_parse(&options, argc, argv, &status);
	/* A sink, or a reader of ours, that goes away is an error of that one, not the end of the
	 * program; so is a file that may grow no further. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* What is made here is for its owner and group. */
	umask(umask(077) | 027);
	if (first >= 0 && options.asks_nichist)
		status = sibling_become("nichist", &options.nichist);
	else if (first >= 0 && stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	else if (first >= 0)
		status = deliver(&options, argv + first);
	options_fini(&options);
	return status;
}
