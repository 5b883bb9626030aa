/* lnetread - converts the output of Lustre's lnetctl to records: one per local NI, by the name of
 * its network interface, and sums for peers and node.
 *
 *   main.c     options, input file, exit
 *   pass.c     writes the reads of a descriptor as records, and prints messages
 *   follow.c   polls a file that each new read replaces
 *   reads.c    splits a stream into reads
 *   header.c   pure: parses the lines that begin and end a read
 *   walk.c     pure: parses YAML into values with their paths
 *   fields.c   pure: tables of the numbers: their paths and their keys in records
 *   lnet.c     pure: parses one read
 *   fault.c    pure: maps errors of lnetctl to errno values and exit codes
 *   outcome.c  pure: finds what is missing in a read, and the message and exit code for it
 *   record.c   pure: makes records of a read */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "confine.h"
#include "diag.h"
#include "follow.h"
#include "jsonmemory.h"
#include "metrics.h"
#include "num.h"
#include "opt.h"
#include "pass.h"
#include "stop.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct options {
	uint64_t interval_ns; /* 0: read the input once */
	const char *path;     /* NULL: stdin */
	enum confine_mode confine;
	const char *metrics_fd;
};

static const struct opt_limits intervals = {10 * NUM_NS_PER_MS, 86400 * NUM_NS_PER_S,
	"not a duration such as 10s", "less than 10ms", "more than a day"};

static const struct opt_spec specs[] = {
	{"interval", "DURATION", "check FILE every DURATION for a new read, until stopped",
		OPT_DURATION(struct options, interval_ns, &intervals)},
	{CONFINE_OPTION(struct options, confine)},
	{METRICS_OPTION, OPT_TEXT(struct options, metrics_fd)},
};

static const struct opt_tool tool = {
	.name = "lnetread",
	.purpose =
		"Make records of LNet's interfaces and peers from the output of Lustre's lnetctl.",
	.operands = "[FILE|-]",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Return 0 or an exit code. */
static int
confine(const struct options *options)
{
	struct confine confine;
	confine_init(&confine, "lnetread", options->confine);
	if (options->interval_ns > 0)
		confine_allow_beside(&confine, options->path, LANDLOCK_READ);
	else
		confine_allow(&confine, options->path, LANDLOCK_READ);
	return confine_enter(&confine);
}

/* Return the exit code. */
static int
read_once(struct pass *pass, const char *path)
{
	if (path == NULL)
		return pass_all(pass, STDIN_FILENO, "stdin");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diag_open_failure(path);
	int status = pass_all(pass, fd, path);
	close(fd);
	return status;
}

/* Return the exit code. */
static int
run(const struct options *options, struct metrics *metrics)
{
	/* Too large for the stack. */
	static struct pass pass;

	int status = confine(options);
	if (status != 0)
		return status;
	pass_init(&pass);
	if (options->interval_ns > 0) {
		status = follow(&pass, options->path, options->interval_ns, metrics);
	} else {
		status = read_once(&pass, options->path);
		status = status != 0 ? status : pass.code;
	}
	pass_fini(&pass);
	if (status == 0 && close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.confine = confine_default()};

	diag_init("lnetread");
	jsonmemory_require();
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (first < argc && strcmp(argv[first], "-") != 0)
		options.path = argv[first];
	if (options.interval_ns > 0 && options.path == NULL) {
		diag_error("--interval needs a FILE (try 'lnetread --help')");
		return EXIT_USAGE;
	}
	if (options.interval_ns > 0 && stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	struct metrics *metrics = NULL;
	status = metrics_open_option(options.metrics_fd, &metrics);
	if (status == 0)
		status = run(&options, metrics);
	metrics_close(metrics);
	return status;
}
