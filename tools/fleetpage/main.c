/* fleetpage - serves web pages with a fleet's standing conditions and its events of the last day.
 *
 *   main.c     options, exit code
 *   session.c  one run: events in, pages out
 *   pages.c    pure: the pages
 *   listing.c  pure: tables of a node's or switch's conditions and events
 *   charts.c   pure: charts of a day and of all nodes, as SVG
 *   html.c     pure: text and links in a page
 *
 *   From fleetview: reading.c, board.c, ranks.c. From nic-health-monitor: httpd.c and what it
 * needs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "num.h"
#include "opt.h"
#include "session.h"

struct options {
	struct session_options session;
	uint64_t port;
	enum confine_mode confine;
};

static const struct opt_limits ports = {0, UINT16_MAX, "not a port number", NULL, NULL};

static const struct opt_spec specs[] = {
	{LAYOUTFILES_OPTION(struct options, session.files)},
	{"address", "ADDRESS", "listen on ADDRESS; \"\": on all addresses (127.0.0.1)",
		OPT_TEXT(struct options, session.address)},
	{"port", "N", "listen on port N; 0: on any free port (2114)",
		OPT_NUMBER(struct options, port, &ports)},
	{"stay", NULL, "keep serving after the last event",
		OPT_FLAG(struct options, session.stays)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "fleetpage",
	.purpose = "Serve pages of a fleet's active conditions, made from events on stdin.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Restrict the process to the files and the port it needs. Return an exit code. */
static int
give_up(const struct options *options)
{
	struct confine confine;
	const struct layoutfiles *files = &options->session.files;
	confine_init(&confine, "fleetpage", options->confine);
	for (size_t i = 0; i < files->count; i++)
		confine_allow_beside(&confine, files->paths[i], LANDLOCK_READ);
	confine_allow_listening(&confine, options->session.port);
	return confine_enter(&confine);
}

int
main(int argc, char **argv)
{
	struct options options = {
		.session.address = "127.0.0.1", .port = 2114, .confine = confine_default()};

	diag_init("fleetpage");
	jsonmemory_require();
	int status;
	if (opt_parse(&tool, argc, argv, &options, &status) < 0)
		return status;
	options.session.port = (uint16_t)options.port;
	status = give_up(&options);
	return status != 0 ? status : session_run(&options.session);
}
