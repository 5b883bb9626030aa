/* options - parses the command line. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "array.h"
#include "diag.h"
#include "num.h"
#include "opt.h"

#define DEFAULT_SETTLE_NS (2 * NUM_NS_PER_S)
#define SETTLE_MAX_NS (3600 * NUM_NS_PER_S)

static const struct opt_limits settle = {
	0, SETTLE_MAX_NS, .malformed = "not a duration of at most an hour, such as 500ms or 2s"};

static const struct opt_spec specs[] = {
	OPT_TABLE(nodeoptions, NODEOPTIONS_N, struct options, service),
	{"settle", "DURATION", "time between the first scan and the last (2s)",
		OPT_DURATION(struct options, settle_ns, &settle)},
	{"json", NULL, "one JSON record instead of text", OPT_FLAG(struct options, json)},
	{"quiet", NULL, "nothing but the exit code", OPT_FLAG(struct options, quiet)},
	{"npd", NULL, "one line and an exit code for the node-problem-detector",
		OPT_FLAG(struct options, npd)},
};

int
options_parse(struct options *options, int argc, char **argv, int *exit_code)
{
	const struct opt_tool tool = {
		.name = diag_name(),
		.purpose = "Check the RDMA NICs of this node once: exit 0 healthy, 1 fatal, "
			   "2 degraded, 3 unknown.",
		.operands = "",
		.options = specs,
		.count = ARRAY_COUNT(specs),
		/* The service accepts single dashes, and --once passes its command line to
		 * niccheck. */
		.single_dash = true,
	};

	*options = (struct options){
		.service = {.confine = confine_default(), .poll_stall_store_only = true},
		.settle_ns = DEFAULT_SETTLE_NS};
	if (opt_parse(&tool, argc, argv, options, exit_code) < 0)
		return -1;
	if (options->npd && (options->json || options->quiet)) {
		diag_error("--npd cannot be combined with --json or --quiet");
		*exit_code = EXIT_USAGE;
		return -1;
	}
	*exit_code = nodeoptions_check_name(&options->service);
	if (*exit_code != 0)
		return -1;
	if (!options->quiet)
		nodeoptions_warn(&options->service);
	return 0;
}
