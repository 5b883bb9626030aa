/* nicwhy - tells in sentences what is known of a device: its role and why, its decisions, its
 * standing conditions, and the sinks that were told.
 *
 *   main.c     options, wiring, output, exit code
 *   story.c    pure: collects the latest records about the device
 *   tell.c     pure: tells the story; name, role and ports
 *   judged.c   pure: tells the decisions, with numbers
 *   stands.c   pure: tells conditions, sinks and silences
 *   speech.c   pure: paragraphs folded to the terminal's width */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "confine.h"
#include "diag.h"
#include "filter.h"
#include "jsonmemory.h"
#include "line.h"
#include "opt.h"
#include "place.h"
#include "story.h"
#include "strbuf.h"
#include "tell.h"
#include "terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct options {
	enum confine_mode confine;
};

static const struct opt_spec specs[] = {
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "nicwhy",
	.purpose = "Explain in sentences what the records on stdin say about a device, and why.",
	.operands = "DEVICE[/PORT]",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* --- the input --- */

static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct rec_error error;
	enum story_status status = story_add(context, record->json, &error);
	if (status == STORY_BAD)
		intake_reject(intake, &error);
	json_decref(record->json);
	if (status != STORY_NO_MEMORY)
		return 0;
	errno = ENOMEM;
	return -1;
}

/* --- the output --- */

static int
tell_stdout(const struct story *story)
{
	struct strbuf text = {0};
	FILE *out = strbuf_open(&text);
	bool failed = out == NULL || tell(story, terminal_columns(STDOUT_FILENO), out) < 0;
	failed |= out != NULL && fclose(out) != 0;
	int status = 0;
	if (failed || text.is_short)
		status = diag_no_memory();
	else if (line_write(STDOUT_FILENO, text.bytes, text.length) < 0 || close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	strbuf_fini(&text);
	return status;
}

static int
lack(const struct story *story)
{
	if (*story->meant != '\0')
		diag_error(
			"%s: no such device; this name belongs to %s", story->device, story->meant);
	else if (story->port != 0)
		diag_error("%s/%" PRIu64 ": nothing in the input is about it", story->device,
			story->port);
	else
		diag_error("%s: nothing in the input is about it", story->device);
	return EXIT_NO_INPUT;
}

/* --- the run --- */

static int
run(const struct options *options, const char *device, uint64_t port)
{
	static const struct filter filter = {.accept = accept_record};
	struct confine confine;
	struct story story;
	confine_init(&confine, "nicwhy", options->confine);
	int status = confine_enter(&confine);
	if (!story_init(&story, device, port))
		status = diag_no_memory();
	if (status == 0)
		status = filter_run(&filter, &story);
	if (status == 0)
		status = story_is_known(&story) ? tell_stdout(&story) : lack(&story);
	story_fini(&story);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.confine = confine_default()};
	uint64_t port;
	int status;

	diag_init("nicwhy");
	jsonmemory_require();
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (argc - first > 1)
		return opt_unexpected_operand(argv[first + 1]);
	if (first == argc) {
		diag_error("a DEVICE is missing (try 'nicwhy --help')");
		return EXIT_USAGE;
	}
	if (!place_split(argv[first], &port)) {
		diag_error("%s/...: not a port from 1 to 255", argv[first]);
		return EXIT_USAGE;
	}
	return run(&options, argv[first], port);
}
