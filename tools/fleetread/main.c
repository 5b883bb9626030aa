/* fleetread - the events of a fleet, from a stream of NATS JetStream or a database of PostgreSQL to
 * stdout.
 *
 *   main.c      options, which of the two, exit
 *   session.c   one run: messages in, records and marks out, acknowledgements in
 *   feed.c      where messages come from, in their order, from a number on
 *   natsfeed.c    from a stream
 *   pgfeed.c      from a database
 *
 *   Of emit: the options about a server, its address, the connection. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../emit/serveraddress.h"
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

/* Which the server's lists have. */
#define NAME "nic-health-monitor fleetread"

/* How often a server that has no messages is asked whether it is there. */
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
	{"acks", "FILE", "read from FILE what the events' receiver has stored, and begin behind it",
		OPT_PATH(struct options, session.acks_path, "not a file's name")},
	{"from", "WORD", "without such a FILE, begin with all (default) or with what is new",
		OPT_WORD(struct options, session.from, &from)},
	OPT_TABLE(serveroptions_table, SERVEROPTIONS_N, struct options, server),
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "fleetread",
	.purpose = "Write the events of a fleet, out of a stream or a database, to stdout.",
	.operands = "nats://HOST/STREAM[/FABRIC]|postgresql://USER@HOST/DATABASE",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
};

/* Returns an exit code. */
static int
give_up(const struct options *options, const struct serveraddress *address)
{
	struct confine confine;
	confine_init(&confine, "fleetread", options->confine);
	/* Who writes it replaces it. */
	confine_allow_beside(&confine, options->session.acks_path, LANDLOCK_READ);
	serveroptions_allow(&options->server, &confine, serveraddress_port(address));
	return confine_enter(&confine);
}

/* Returns the exit code. */
static int
read_stream(const struct session_options *session, const struct serveraddress *address)
{
	struct natsfeed feed;
	struct natsdial dial = serveraddress_natsdial(address, NAME);
	dial.ping_ms = PING_MS;
	natsfeed_init(&feed, &dial, &address->stream);
	return session_run(session, &feed.feed);
}

/* Returns the exit code. `text`: the address as messages have it. */
static int
read_database(const struct options *options, const struct serveraddress *address, const char *text)
{
	struct pgfeed feed;
	const struct pgdial dial = serveraddress_pgdial(address, NAME);
	pgfeed_init(&feed, &dial, options->server.timeout_ns / NUM_NS_PER_MS, text);
	return session_run(&options->session, &feed.feed);
}

/* Returns the exit code. */
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
	/* A reader that is gone ends it in order, whichever library is at work. */
	signal(SIGPIPE, SIG_IGN);
	status = run(&options, argv[first]);
	if (status == 0 && close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	if (!natsdial_end())
		_exit(status);
	return status;
}
