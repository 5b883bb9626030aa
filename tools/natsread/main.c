/* natsread - the events of a fabric, from a stream of NATS JetStream to stdout.
 *
 *   main.c     options, exit
 *   session.c  one run: messages in, records and marks out, acknowledgements in
 *   feed.c     the messages in their order, from a number on
 *
 *   Of emit: the options about a server, its address, the connection. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../emit/serveroptions.h"
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "num.h"
#include "opt.h"
#include "session.h"
#include "webaddress.h"

#include <unistd.h>

struct options {
	struct session_options session;
	struct serveroptions server;
	unsigned from;
	enum confine_mode confine;
};

static const char *const from_words[SESSION_FROM_N] = {
	[SESSION_FROM_ALL] = "all", [SESSION_FROM_NEW] = "new"};
static const struct opt_words from = {from_words, SESSION_FROM_N, "not one of all, new"};

static const struct opt_spec specs[] = {
	{"acks", "FILE", "read from FILE what the events' receiver has stored, and begin behind it",
		OPT_PATH(struct options, session.acks_path, "not a file's name")},
	{"from", "WORD", "without such a FILE, begin with all (default) or with what is new",
		OPT_WORD(struct options, from, &from)},
	OPT_TABLE(serveroptions_table, SERVEROPTIONS_N, struct options, server),
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "natsread",
	.purpose = "Write the events in a stream of NATS JetStream to stdout.",
	.operands = "nats://HOST/STREAM[/FABRIC]",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
};

/* Returns an exit code. */
static int
give_up(const struct options *options)
{
	struct confine confine;
	confine_init(&confine, "natsread", options->confine);
	/* Who writes it replaces it. */
	confine_allow_beside(&confine, options->session.acks_path, LANDLOCK_READ);
	serveroptions_allow(&options->server, &confine, options->session.address.port);
	return confine_enter(&confine);
}

/* Of the command line, once it is known. Returns an exit code. */
static int
check(struct options *options, char *address)
{
	struct natsaddress *parsed = &options->session.address;
	const char *reason = natsaddress_parse(parsed, address);
	if (reason == NULL)
		reason = serveroptions_check(&options->server, natsaddress_has_tls(parsed), false);
	if (reason == NULL)
		return 0;
	webaddress_hide(address);
	diag_error("%s: %s (try 'natsread --help')", address, reason);
	return EXIT_USAGE;
}

static int
run(struct options *options, char *address)
{
	struct session_options *session = &options->session;
	int status = check(options, address);
	session->from = (enum session_from)options->from;
	session->dial.url = session->address.url;
	session->dial.host = session->address.host;
	session->dial.files = &options->server.files;
	session->dial.server_name = options->server.server_name;
	session->dial.timeout_ms = options->server.timeout_ns / NUM_NS_PER_MS;
	if (status == 0)
		status = give_up(options);
	if (status == 0)
		status = session_run(session);
	natsaddress_fini(&session->address);
	if (status == 0 && close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	if (!natsdial_end())
		_exit(status);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {
		.session.dial = {.name = "nic-health-monitor natsread", .ping_ms = 5000},
		.server = SERVEROPTIONS_DEFAULT,
		.confine = confine_default()};

	diag_init("natsread");
	jsonmemory_require();
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first == argc) {
		diag_error("the address of a stream is missing (try 'natsread --help')");
		return EXIT_USAGE;
	}
	return run(&options, argv[first]);
}
