/* fleetread - writes the events of a fleet, from a NATS JetStream stream or a PostgreSQL database,
 * to stdout.
 *
 *   main.c      options, choice of the feed, exit code
 *   session.c   one run: messages in, records and marks out, acknowledgements in
 *   feed.c      base of the feeds, which read messages in order from a number on
 *   natsfeed.c    from a stream
 *   pgfeed.c      from a database
 *
 *   From emit: server options, server address, connection. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../emit/serveraddress.h"
#include "array.h"
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "natsfeed.h"
#include "num.h"
#include "opt.h"
#include "pgfeed.h"
#include "session.h"

#include <signal.h>
#include <unistd.h>

/* Client name in the server's lists. */
#define NAME "nic-health-monitor fleetread"

/* Ping interval on an idle connection. */
#define PING_MS 5000

struct options {
	struct session_options session;
	struct serveroptions server;
	enum confine_mode confine;
};

static const char *const from_words[SESSION_FROM_N] = {
	[SESSION_FROM_ALL] = "all", [SESSION_FROM_NEW] = "new"};
static const struct opt_words from = {from_words, SESSION_FROM_N, "not one of all, new"};

static const struct opt_spec specs[] = {
	{"acks", "FILE", "start after the events that the receiver names in FILE as stored",
		OPT_PATH(struct options, session.acks_path, "not a file's name")},
	{"from", "WORD", "without FILE of --acks: start with all events (default) or with new ones",
		OPT_WORD(struct options, session.from, &from)},
	OPT_TABLE(serveroptions_table, SERVEROPTIONS_N, struct options, server),
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "fleetread",
	.purpose = "Write the events of a fleet from a stream or a database to stdout.",
	.operands = "nats://HOST/STREAM[/FABRIC]|postgresql://USER@HOST/DATABASE",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Check the files of the options, and restrict the process to the files and ports it needs. Return
 * an exit code. */
static int
give_up(const struct options *options, const struct serveraddress *address)
{
	struct confine confine;
	int status = serveroptions_check_files(&options->server);
	if (status != 0)
		return status;
	confine_init(&confine, "fleetread", options->confine);
	/* The writer of the acks file replaces it by rename, so allow its directory. */
	confine_allow_beside(&confine, options->session.acks_path, LANDLOCK_READ);
	serveroptions_allow(&options->server, &confine, serveraddress_port(address));
	return confine_enter(&confine);
}

/* Return the exit code. */
static int
read_stream(const struct session_options *session, const struct serveraddress *address)
{
	struct natsfeed feed;
	struct natsdial dial = serveraddress_natsdial(address, NAME);
	dial.ping_ms = PING_MS;
	natsfeed_init(&feed, &dial, &address->stream);
	return session_run(session, &feed.feed);
}

/* Return the exit code. `text`: the address, for messages. */
static int
read_database(const struct options *options, const struct serveraddress *address, const char *text)
{
	struct pgfeed feed;
	struct pgdial dial = serveraddress_pgdial(address, NAME);
	dial.only_reads = true;
	pgfeed_init(&feed, &dial, options->server.timeout_ns / NUM_NS_PER_MS, text);
	return session_run(&options->session, &feed.feed);
}

/* Return the exit code. */
static int
run(const struct options *options, char *text)
{
	struct serveraddress address;
	const char *reason = serveraddress_parse(&address, text, &options->server);
	int status =
		reason != NULL ? serveraddress_refuse(text, reason) : give_up(options, &address);
	if (status == 0)
		status = address.is_database ? read_database(options, &address, text)
					     : read_stream(&options->session, &address);
	serveraddress_fini(&address);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.server = SERVEROPTIONS_DEFAULT, .confine = confine_default()};

	diag_init("fleetread");
	jsonmemory_require();
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first == argc) {
		diag_error("an address is missing (try 'fleetread --help')");
		return EXIT_USAGE;
	}
	/* Get EPIPE instead of a signal when the reader of stdout is gone, whatever the libraries
	 * do. */
	signal(SIGPIPE, SIG_IGN);
	status = run(&options, argv[first]);
	if (status == 0 && close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	if (!natsdial_end())
		_exit(status);
	return status;
}
