/* blastradius - tells a switch that fails from forty NICs that fail.
 *
 *   main.c           options, exit code
 *   session.c        one run: reads events, writes them and the suspected switches
 *   queue.c          records that wait until all related events have arrived
 *   suspects.c       pure: finds failing switches, and holds back events of their nodes
 *   reports.c        pure: classifies events about links of ports
 *   fleet.c          pure: nodes, ports with reports, and their switches
 *   verdicts.c       pure: formats suspects as events
 *   memory.c         pure: state of the fleet as JSON
 *
 *   topology.c       pure: which port is connected to which switch
 *   layoutfiles.c    reads the topology files, again whenever they change
 *   layout.c         pure: shared by the parsers of these files:
 *   ibnetdiscover.c  output of ibnetdiscover
 *   slurm.c          Slurm's topology.conf
 *   lldp.c           output of lldpcli
 *   hostlist.c       pure: lists of host names in Slurm's form */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "num.h"
#include "opt.h"
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NO_FILE "not a file's name"

struct options {
	struct session_options session;
	bool print_topology;
	enum confine_mode confine;
};

static const struct opt_limits node_counts = {
	2, FLEET_NODES_MAX, "not a number of nodes", "fewer than 2", "too many"};
static const struct opt_limits percents = {0, 100, "not a percentage", NULL, "more than 100"};
static const struct opt_limits windows = {NUM_NS_PER_S, 60 * NUM_NS_PER_S,
	"not a duration such as 10s", "less than a second", "more than a minute"};
static const struct opt_limits settlings = {
	0, 86400 * NUM_NS_PER_S, "not a duration such as 5m", NULL, "more than a day"};

static const struct opt_spec specs[] = {
	{LAYOUTFILES_OPTION(struct options, session.files)},
	{"print-topology", NULL, "print the topology of the files, and exit",
		OPT_FLAG(struct options, print_topology)},
	{"nodes", "N", "suspect a switch if at least N nodes report trouble (4)",
		OPT_NUMBER(struct options, session.limits.nodes, &node_counts)},
	{"percent", "N", "and at least N % of the nodes of the switch (20)",
		OPT_NUMBER(struct options, session.limits.percent, &percents)},
	{"within", "DURATION", "within DURATION (10s)",
		OPT_DURATION(struct options, session.within_ns, &windows)},
	{"settle", "DURATION", "release held-back events so long after the end of a suspicion (5m)",
		OPT_DURATION(struct options, session.settle_ns, &settlings)},
	{"fabric", "NAME", "name of the fabric, for ports whose switch is unknown (fabric)",
		OPT_PATH(struct options, session.fabric, "not a name")},
	{"live", NULL, "advance the time by the clock; without it, read all input first",
		OPT_FLAG(struct options, session.live)},
	{"state", "FILE", "keep the state in FILE across restarts; without it, keep none",
		OPT_PATH(struct options, session.state_path, NO_FILE)},
	{"acks", "FILE", "read from FILE which events the receiver has stored; needs --state",
		OPT_PATH(struct options, session.acks_path, NO_FILE)},
	{"strategy", "WORD", "processingStrategy of events about switches (EXECUTE_REMEDIATION)",
		EVENT_STRATEGY(struct options, session.strategy)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "blastradius",
	.purpose = "Distinguish one failing switch from many failing NICs.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Restrict the process to the files it needs. The state, acks and topology files are replaced by
 * rename, so allow their directories. Return an exit code. */
static int
give_up(const struct options *options)
{
	struct confine confine;
	const struct layoutfiles *files = &options->session.files;
	confine_init(&confine, "blastradius", options->confine);
	confine_allow_beside(&confine, options->session.state_path, LANDLOCK_KEEP);
	confine_allow_beside(&confine, options->session.acks_path, LANDLOCK_READ);
	for (size_t i = 0; i < files->count; i++)
		confine_allow_beside(&confine, files->paths[i], LANDLOCK_READ);
	return confine_enter(&confine);
}

/* Print a line for each port, in the order of the files. Return the exit code. */
static int
print_topology(const struct topology *topology)
{
	for (size_t i = 0; i < topology->entry_count; i++) {
		const struct topology_entry *entry = topology->entries[i];
		const char *device = entry->key + strlen(entry->key) + 1;
		const char *port = device + strlen(device) + 1;
		printf("%s\t%s\t%s\t%s\n", entry->key, *device != '\0' ? device : "*",
			*port != '\0' ? port : "*", topology->switches[entry->place]);
	}
	return fflush(stdout) != 0 ? diag_io_failure("stdout") : 0;
}

/* Return the exit code. */
static int
run(struct options *options)
{
	struct topology topology = {0};
	int status = give_up(options);
	if (status == 0)
		status = layoutfiles_read(&options->session.files, &topology);
	if (status != 0 || options->print_topology) {
		if (status == 0)
			status = print_topology(&topology);
		topology_fini(&topology);
	} else {
		status = session_run(&options->session, &topology);
	}
	if (status == 0 && close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.session = {.limits = {.nodes = 4, .percent = 20},
					  .within_ns = 10 * NUM_NS_PER_S,
					  .settle_ns = 300 * NUM_NS_PER_S,
					  .fabric = "fabric",
					  .strategy = event_strategies[EVENT_EXECUTE_REMEDIATION]},
		.confine = confine_default()};

	diag_init("blastradius");
	jsonmemory_require();
	int status;
	if (opt_parse(&tool, argc, argv, &options, &status) < 0)
		return status;
	if (options.session.acks_path != NULL && options.session.state_path == NULL) {
		diag_error("--acks needs --state");
		return EXIT_USAGE;
	}
	return run(&options);
}
