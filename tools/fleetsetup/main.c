/* fleetsetup - creates or updates the store of a fleet's events: a NATS JetStream stream, or the
 * schema of a PostgreSQL database.
 *
 *   main.c    options, choice of the store, exit code
 *   stream.c  the stream
 *   schema.c  the schema
 *
 *   From emit: server options, server address, connection. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../emit/serveraddress.h"
#include "array.h"
#include "confine.h"
#include "diag.h"
#include "num.h"
#include "opt.h"
#include "schema.h"
#include "stream.h"

#include <stdio.h>
#include <unistd.h>

#define DAY_NS (UINT64_C(86400) * NUM_NS_PER_S)

/* JetStream's maximum. */
#define REPLICAS_MAX 5

/* Client name in the server's lists. */
#define NAME "nic-health-monitor fleetsetup"

struct options {
	struct stream_wanted wanted; /* `keep_ns` applies to a database, too */
	bool of_streams;             /* an option for streams only was given */
	struct serveroptions server;
	enum confine_mode confine;
};

static const struct opt_limits keeps = {3600 * NUM_NS_PER_S, 3650 * DAY_NS,
	"not a duration such as 30d", "less than an hour", "more than ten years"};
static const struct opt_limits sizes = {
	UINT64_C(1) << 20, INT64_MAX, "not a size such as 10GiB", "less than 1MiB", "too large"};
static const struct opt_limits replicas = {1, REPLICAS_MAX, "not a number from 1 to 5", NULL, NULL};
static const struct opt_limits windows = {NUM_NS_PER_S, 3650 * DAY_NS, "not a duration such as 1h",
	"less than a second", "more than ten years"};

/* Values of an option's `scope`. */
enum { OF_STREAMS = 1 };

static const struct opt_spec specs[] = {
	{"keep", "DURATION", "keep events this long (7d in a stream, 90d in a database)",
		OPT_DURATION(struct options, wanted.keep_ns, &keeps)},
	{"size", "SIZE", "keep at most SIZE of the newest events in a stream (no limit)",
		OPT_SIZE(struct options, wanted.size_bytes, &sizes), .scope = OF_STREAMS},
	{"replicas", "N", "how many servers store a copy of the stream (3)",
		OPT_NUMBER(struct options, wanted.replicas, &replicas), .scope = OF_STREAMS},
	{"duplicates", "DURATION", "how long a stream recognizes a repeated event (1h)",
		OPT_DURATION(struct options, wanted.duplicate_ns, &windows), .scope = OF_STREAMS},
	OPT_TABLE(serveroptions_table, SERVEROPTIONS_N, struct options, server),
	{CONFINE_OPTION(struct options, confine)},
};

static void
note_option(void *target, size_t index, const struct opt_given *given)
{
	struct options *options = target;
	(void)index;
	options->of_streams = options->of_streams || given->spec->scope == OF_STREAMS;
}

static const struct opt_tool tool = {
	.name = "fleetsetup",
	.purpose = "Create or update the stream or the database that stores a fleet's events.",
	.operands = "nats://HOST/STREAM|postgresql://USER@HOST/DATABASE",
	.options = specs,
	.count = ARRAY_COUNT(specs),
	.note = note_option,
};

/* Check the files of the options, and restrict the process to the files and the port it needs.
 * Return an exit code. */
static int
give_up(const struct options *options, const struct serveraddress *address)
{
	struct confine confine;
	int status = serveroptions_check_files(&options->server);
	if (status != 0)
		return status;
	confine_init(&confine, "fleetsetup", options->confine);
	serveroptions_allow(&options->server, &confine, serveraddress_port(address));
	return confine_enter(&confine);
}

/* Return the exit code. */
static int
set_up(const struct options *options, const struct serveraddress *address)
{
	if (address->is_database) {
		const struct pgdial dial = serveraddress_pgdial(address, NAME);
		return schema_setup(
			&dial, options->server.timeout_ns / NUM_NS_PER_MS, options->wanted.keep_ns);
	}
	const struct natsdial dial = serveraddress_natsdial(address, NAME);
	return stream_setup(&dial, address->stream.stream, &options->wanted);
}

/* Return the exit code. */
static int
run(const struct options *options, char *text)
{
	struct serveraddress address;
	const char *reason = serveraddress_parse(&address, text, &options->server);
	if (reason == NULL && address.is_database && options->of_streams)
		reason = "--size, --replicas and --duplicates are for streams";
	int status =
		reason != NULL ? serveraddress_refuse(text, reason) : give_up(options, &address);
	if (status == 0)
		status = set_up(options, &address);
	serveraddress_fini(&address);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.server = SERVEROPTIONS_DEFAULT, .confine = confine_default()};

	diag_init("fleetsetup");
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first == argc) {
		diag_error("an address is missing (try 'fleetsetup --help')");
		return EXIT_USAGE;
	}
	status = run(&options, argv[first]);
	if (status == 0 && fclose(stdout) != 0)
		status = diag_io_failure("stdout");
	if (!natsdial_end())
		_exit(status);
	return status;
}
