/* emit - deliver event records to sinks, and tell what was delivered.
 *
 *   main.c          what is to be done, exit
 *   options.c       the command line
 *   run.c           the loop between inputs, journal and sinks
 *
 *   events in
 *   inputs.c        files, pipes and FIFOs, several at once
 *   stamp.c         an event as the line that is shipped
 *   facts.c         pure: what has to be known of an event
 *   sources.c       pure: what came before, what is missing, what may be acknowledged
 *   held.c          events that wait for one that is missing before them
 *   routing.c       pure: which events may go out by now
 *
 *   events kept
 *   journal.c       all of them in one order, in memory or in the spool; journalin.c is how they come in, journalspool.c how they get to the spool
 *   queue.c         those in memory
 *   spool.c         those on disk, and how far each sink has got; spoolsql.c has the statements
 *   schema.c        the spool's tables
 *   database.c      its file: locked, checked, moved aside when it is broken
 *   salvage.c       what can still be read of a broken one
 *   conditions.c    what is wrong with the node, from when to when
 *   retention.c     how long events stay
 *   spoolsize.c     how much there is in it
 *
 *   events out
 *   sinkspec.c      pure: what --sink names
 *   sink.c          what all sinks have in common: order, failures, another attempt
 *   retry.c         pure: how long to wait before it
 *   stream.c        sinks that take lines
 *   transport.c     bytes to files and sockets
 *   resolver.c      host names, looked up in the background
 *   batch.c         some events in a row
 *   request.c       sinks that take batches and answer: batches, refusals
 *   grpc.c wire.c   pure: NVSentinel's Platform Connector, the call and the message
 *   webhook.c       pure: CloudEvents
 *   alertmanager.c  what an Alertmanager has to hear
 *   alerts.c        pure: in its words
 *   verdict.c       pure: an answer's meaning in words
 *   http.c          requests and answers, by libcurl
 *   reply.c         an answer as it comes in, in bounded memory
 *   token.c         bearer tokens
 *
 *   numbers about ourselves
 *   numbers.c       what is handed up in the page of --metrics-fd
 *   sent.c          pure: events that have arrived, by check and severity
 *
 *   events looked at
 *   history.c       what a spool tells people and tools; history*.c are its parts, spoolview.c reads, when.c takes dates
 *
 *   fault.c         points at which a test may have the process killed */
#include "diag.h"
#include "metrics.h"
#include "options.h"
#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

static int
take_again(void *context, const char *record, size_t length)
{
	return run_take(context, record, length);
}

/* Delivers events that the spool has, as if they had just come. */
static int
replay(struct run *run, const struct history_options *history, char **ids)
{
	int status = history_replay(history, ids, take_again, run);
	int finished = run_finish(run);
	return status != 0 ? status : finished;
}

static int
deliver(struct options *options, char **operands)
{
	struct run run;
	int status = metrics_take(options->metrics_fd, &options->run.metrics);
	if (status != 0)
		return status;
	status = run_init(&run, &options->run);
	if (status == 0)
		status = options->history.replay ? replay(&run, &options->history, operands)
						 : run_deliver(&run, operands);
	run_fini(&run);
	metrics_close(options->run.metrics);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options;
	int status;

	diag_init("emit");
	int first = options_parse(&options, argc, argv, &status);
	/* A sink, or a reader of ours, that goes away is an error of that one, not the end of the program; so is a file that may grow no further. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* What is made here is for its owner and group. */
	umask(umask(077) | 027);
	if (first >= 0 && history_is_shown(&options.history))
		status = history_print(&options.history);
	else if (first >= 0 && stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	else if (first >= 0)
		status = deliver(&options, argv + first);
	options_fini(&options);
	return status;
}
