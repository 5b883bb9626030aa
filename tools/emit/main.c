/* emit - delivers event records to sinks. nichist, beside it, shows what the spool has.
 *
 *   main.c          --test-sink, start and exit code
 *   options.c       parses the command line
 *   delivery.c      the options about sinks, shared with nichist
 *   run.c           the loop between inputs, journal and sinks
 *   positions.c     up to which event each sink has been served, kept in the spool
 *   overlap.c       rejects a file with two uses: a sink, an input, the spool, the acks ...
 *   confined.c      what emit keeps when it confines itself; hostfiles.c for name lookups and TLS
 *   ownmetrics.c    emit's own metrics, in the page of --metrics-fd
 *   fault.c         points at which a test kills the process
 *
 *   in/             reading events; depends on neither store/ nor out/
 *     inputs.c        reads files, pipes and FIFOs at once
 *     facts.c         pure: the fields of an event that emit uses, and the line to deliver
 *     sources.c       pure: what arrived, what is missing, what may be acknowledged
 *     held.c          pure: events held back until a missing one arrives, and the batch window
 *     silencing.c     reloads the silences file and marks events
 *
 *   store/          keeping events; depends on in/
 *     journal.c       all events in one order, in memory or in the spool; journalspool.c stores,
 *                     journalread.c reads, journalask.c serves sinks, journaldesk.c runs errands;
 *                     their data is in journalstate.h
 *     batch.c         events as lines: a batch, and the queue in memory
 *     desk.c          the spool in a thread, so that a disk that hangs delays nothing
 *     worker.c        such a thread
 *     spool.c         events on disk, and the position of each sink
 *     spoolevents.c   adds events to the spool and reads them
 *     schema.c        the spool's tables
 *     database.c      the spool's file: opens, locks, checks it, moves it aside when broken
 *     guard.c         detects that another process truncates or removes the open files
 *     salvage.c       imports what is readable of a broken spool
 *     conditions.c    the node's faults, each with start and end
 *     keepsake.c      a copy of the standing conditions in the acks, for a spool that is lost
 *     clearing.c      which conditions a healthy event ends, and late events
 *     releases.c      applies silences to the spool
 *     retention.c     drops events from the spool
 *
 *   out/            delivering events; depends on in/ and store/
 *     sinkspec.c      pure: parses --sink, lists the kinds of sinks
 *     sink.c          common to all sinks: order, failures, backoff
 *     stream.c        engine of the sinks that write lines
 *     transport.c     their descriptor; the kinds are in linesinks.c and journald.c
 *     journalentry.c  pure: an event as an entry of systemd's journal
 *     filework.c      a file, in a thread
 *     resolver.c      looks up host names in the background
 *     request.c       engine of the sinks that send batches and read a response; the kinds:
 *     wire.c          NVSentinel's Platform Connector; grpc.c: the gRPC call (pure)
 *     webhook.c       CloudEvents
 *     nats.c          NATS JetStream: natsaddress.c parses, natsdial.c connects, natslink.c
 *                     publishes
 *     program.c       a program per batch; starter.c is the process that starts it
 *     postgres.c      PostgreSQL: pgaddress.c parses, pgdial.c connects, pglink.c stores
 *     alerts.c        Alertmanager: groups conditions into alerts
 *     carrier.c       takes requests to a server, by HTTP or by a courier
 *     courier.c       runs a blocking client library in a thread
 *     verdict.c       pure: what a response means
 *     http.c          HTTP by libcurl, which curllib.c loads; natslib.c and pqlib.c load theirs
 *     curltarget.c    the options of libcurl that depend on the server
 *     reply.c         pure: an HTTP response in bounded memory
 *     token.c         reads tokens, checks the files of tokens, keys and certificates
 *
 *   Shared with fleetread and fleetsetup: hostfiles.c, token.c, natsaddress.c, natsdial.c,
 *   pgaddress.c, pgdial.c, and
 *   serveraddress.c the address of the one server that such a program uses
 *   serveroptions.c the options about that server */
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

/* Added to the request timeout, for sinks that have none, such as a TCP connection. */
#define GRACE_NS (2 * NUM_NS_PER_S)

/* Return the test event as a line, from malloc; NULL if memory runs out. */
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

/* Report the result at one sink. Return true if the sink accepted the event. */
static bool
report(const struct sink *sink)
{
	const char *answer = *sink->answer != '\0' ? sink->answer : "no answer in time";
	if (sink->tally.delivered > 0) {
		diag_note("sink %s: accepted the test event: %s, after %" PRIu64 " ms",
			sink_name(sink), answer, sink->took_ns / NUM_NS_PER_MS);
		return true;
	}
	diag_error("sink %s: did not accept the test event: %s", sink_name(sink), answer);
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

/* Send the test event to the sinks of `options`, without a spool, and report each result. The event
 * is healthy, STORE_ONLY and of a check of its own, so that receivers only store it, also those
 * that want only some events; an Alertmanager gets a resolved alert. Return 0, EXIT_UNAVAILABLE if
 * a sink did not accept it, or another exit code. */
static int
test_sinks(struct run_options *options)
{
	struct run run;
	size_t length;
	char *line = line_new(options->setting.node, &length);
	options->setting.is_test = true;
	for (size_t i = 0; i < options->spec_count; i++)
		options->specs[i].choice = (struct choice){0};
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

/* Start the sinks, and confine emit. Return 0, or the exit code after reporting the error. */
static int
prepare(struct options *options, char *const *operands)
{
	int status = delivery_start(&options->run);
	if (status == 0)
		status = confined_enter(
			"emit", &options->run, options->run.journal.spool_path, operands);
	return status;
}

static int
deliver(struct options *options, char **operands)
{
	struct run run;
	int status = prepare(options, operands);
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
	/* A closed sink or stderr, or a file at its size limit, must fail the write, not kill the
	 * process. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* Files that emit creates are for their owner and group only. */
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
