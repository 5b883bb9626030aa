/* natsread - the events of a fabric, from a stream of NATS JetStream to stdout.
 *
 *   main.c     options, exit
 *   session.c  one run: messages in, records and marks out, acknowledgements in
 *   feed.c     the messages in their order, from a number on */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../emit/hostfiles.h"
#include "../emit/out/hostport.h"
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "num.h"
#include "opt.h"
#include "session.h"
#include "webaddress.h"

#include <unistd.h>

#define NO_FILE "not a file's name"

struct options {
	struct session_options session;
	struct trust_files files;
	unsigned from;
	uint64_t timeout_ns;
	bool clear_token;
	enum confine_mode confine;
};

static const char *const from_words[SESSION_FROM_N] = {
	[SESSION_FROM_ALL] = "all", [SESSION_FROM_NEW] = "new"};
static const struct opt_words from = {from_words, SESSION_FROM_N, "not one of all, new"};
static const struct opt_limits timeouts = {NUM_NS_PER_MS, 3600 * NUM_NS_PER_S,
	"not a duration such as 10s", "less than a millisecond", "more than an hour"};

static const char *
accept_server_name(void *target, const struct opt_given *given)
{
	((struct options *)target)->session.dial.server_name = given->value;
	return hostport_is_host(given->value) ? NULL : "not the name of a host";
}

static const struct opt_spec specs[] = {
	{"acks", "FILE", "read from FILE what the events' receiver has stored, and begin behind it",
		OPT_PATH(struct options, session.acks_path, NO_FILE)},
	{"from", "WORD", "without such a FILE, begin with all (default) or with what is new",
		OPT_WORD(struct options, from, &from)},
	{"timeout", "DURATION", "how long the server has for each answer (10s)",
		OPT_DURATION(struct options, timeout_ns, &timeouts)},
	{"ca-file", "FILE", "who may have signed the server's certificate, PEM",
		OPT_PATH(struct options, files.ca, NO_FILE)},
	{"cert-file", "FILE", "our certificate, PEM",
		OPT_PATH(struct options, files.cert, NO_FILE)},
	{"key-file", "FILE", "its key, PEM", OPT_PATH(struct options, files.key, NO_FILE)},
	{"token-file", "FILE", "token, or credentials of NATS",
		OPT_PATH(struct options, files.token, NO_FILE)},
	{"server-name", "NAME", "name in the server's certificate (its host)",
		OPT_OTHER(accept_server_name)},
	{"clear-token", NULL, "send the token without TLS, too",
		OPT_FLAG(struct options, clear_token)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "natsread",
	.purpose = "Write the events in a stream of NATS JetStream to stdout.",
	.operands = "nats://HOST/STREAM[/FABRIC]",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
};

/* Others replace all these files. Returns an exit code. */
static int
give_up(const struct options *options)
{
	struct confine confine;
	uint64_t port;
	const char *const files[] = {options->session.acks_path, options->files.ca,
		options->files.cert, options->files.key, options->files.token};
	confine_init(&confine, "natsread", options->confine);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		confine_allow_beside(&confine, files[i], LANDLOCK_READ);
	hostfiles_allow(&confine);
	if (num_parse_u64(options->session.address.port, UINT16_MAX, &port) == NUM_OK)
		confine_allow_connecting(&confine, (uint16_t)port);
	return confine_enter(&confine);
}

/* Of the command line, once it is known. Returns an exit code. */
static int
check(struct options *options, char *address)
{
	struct session_options *session = &options->session;
	const char *reason = natsaddress_parse(&session->address, address);
	if (reason == NULL)
		reason = trust_check(&options->files, session->dial.server_name,
			options->clear_token, natsaddress_has_tls(&session->address), false);
	if (reason == NULL)
		reason = trust_check_files(&options->files);
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
	session->dial.files = &options->files;
	session->dial.timeout_ms = options->timeout_ns / NUM_NS_PER_MS;
	if (status == 0)
		status = give_up(options);
	if (status == 0)
		status = session_run(session);
	natsaddress_fini(&session->address);
	if (status == 0 && close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {
		.session.dial = {.name = "nic-health-monitor natsread", .ping_ms = 5000},
		.timeout_ns = 10 * NUM_NS_PER_S,
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
	if (first + 1 < argc)
		return opt_unexpected_operand(argv[first + 1]);
	return run(&options, argv[first]);
}
