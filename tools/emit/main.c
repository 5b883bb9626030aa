/* emit - deliver event records to sinks.
 *
 *   main.c       options, wiring, the poll loop, exit
 *   sinkspec.c   pure: what --sink names
 *   stamp.c      an event as the line that is shipped
 *   queue.c      the events that not every sink has yet
 *   sink.c       one sink: order, retries, what has arrived
 *   retry.c      pure: how long to wait before the next attempt
 *   transport.c  bytes to files and sockets
 *   resolver.c   host names, looked up in the background */
#include "clock.h"
#include "diag.h"
#include "host.h"
#include "intake.h"
#include "num.h"
#include "opt.h"
#include "sink.h"
#include "stamp.h"
#include "stop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SINKS_MAX 16

/* Undelivered events beyond this stay in the pipe, and with their writer, until a sink has caught up. */
#define BACKLOG_MAX_BYTES ((size_t)64 << 20)

#define DEFAULT_FLUSH_TIMEOUT_NS (5 * NUM_NS_PER_S)

struct options {
	struct sink_spec specs[SINKS_MAX];
	size_t count;
	const char *node;
	uint64_t flush_timeout_ns;
};

enum { OPT_SINK, OPT_NODE, OPT_FLUSH_TIMEOUT };

static const struct opt_spec specs[] = {
	[OPT_SINK] = {"sink", "SPEC",
		"-, file:PATH, unix:PATH or tcp:HOST:PORT; may be repeated (default: -)"},
	[OPT_NODE] = {"node", "NAME",
		"nodeName of events that have none ($NODE_NAME, else the host name)"},
	[OPT_FLUSH_TIMEOUT] = {"flush-timeout", "DURATION",
		"after the end of input, try that long to deliver what is left (5s)"},
};

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct options *options = context;

	switch (index) {
	case OPT_SINK:
		if (options->count == SINKS_MAX)
			return "too many sinks";
		return sink_spec_parse(&options->specs[options->count++], value);
	case OPT_NODE:
		options->node = value;
		return NULL;
	case OPT_FLUSH_TIMEOUT:
		return num_parse_duration(value, 3600 * NUM_NS_PER_S, &options->flush_timeout_ns) ==
				       NUM_OK
			       ? NULL
			       : "not a duration such as 250ms, 1s or 5m";
	}
	return "unknown";
}

static const struct opt_tool tool = {
	.name = "emit",
	.purpose = "Deliver event records to sinks, in order; records of other kinds are ignored.",
	.operands = "[FILE|-]...",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.take = take_option,
};

/* Everything a run works with. */
struct run {
	const struct options *options;
	struct queue queue;
	struct sink sinks[SINKS_MAX];
	size_t sink_count;
	char **inputs; /* names still to be read, NULL-terminated; the first is being read */
	struct intake intake;
	int input_fd;     /* -1: all inputs are read */
	int input_status; /* exit code of an input that could not be read to its end, 0: all could */
};

/* --- input --- */

/* Opens the next input, if there is one. One that cannot be opened is the end of input: what came before it is delivered
 * first, then it is the run's failure. */
static void
open_input(struct run *run)
{
	run->input_fd = -1;
	if (*run->inputs == NULL)
		return;
	bool is_stdin = strcmp(*run->inputs, "-") == 0;
	run->input_fd = is_stdin ? STDIN_FILENO : open(*run->inputs, O_RDONLY | O_CLOEXEC);
	if (run->input_fd < 0) {
		run->input_status = diag_open_failure(*run->inputs);
		return;
	}
	intake_init(&run->intake, run->input_fd, is_stdin ? "stdin" : *run->inputs);
}

static void
close_input(struct run *run)
{
	if (run->input_fd < 0)
		return;
	intake_fini(&run->intake);
	if (run->input_fd != STDIN_FILENO)
		close(run->input_fd);
	run->input_fd = -1;
	run->inputs++;
}

static int
take_event(struct run *run, struct intake_record *record)
{
	size_t length;
	int status = 0;

	if (strcmp(rec_kind(record->json), "event") == 0) {
		char *line = stamp_new(record, run->options->node, &length);
		status = line == NULL ? -1 : queue_push(&run->queue, line, length);
	}
	json_decref(record->json);
	return status;
}

/* Queues what one read brought. Returns 0 or an exit code. */
static int
read_input(struct run *run)
{
	struct intake_record record;
	enum line_status filled = intake_fill(&run->intake);

	for (;;) {
		switch (intake_next(&run->intake, &record)) {
		case INTAKE_RECORD:
			if (take_event(run, &record) < 0) {
				diag_error("out of memory");
				return EXIT_OS;
			}
			continue;
		case INTAKE_LOST:
			continue;
		case INTAKE_MORE:
			if (filled != LINE_ERROR)
				return 0;
			diag_error("%s: %s", run->intake.name, strerror(errno));
			run->input_status = EXIT_IO;
			close_input(run);
			return 0;
		case INTAKE_ERROR:
		case INTAKE_END:
			close_input(run);
			open_input(run);
			return 0;
		}
	}
}

/* --- sinks --- */

static bool
all_done(const struct run *run)
{
	for (size_t i = 0; i < run->sink_count; i++) {
		if (!sink_is_done(&run->sinks[i], &run->queue))
			return false;
	}
	return true;
}

/* A sink that is gone for good holds nothing back. */
static bool
any_left(const struct run *run)
{
	for (size_t i = 0; i < run->sink_count; i++) {
		if (run->sinks[i].state != SINK_GONE)
			return true;
	}
	return false;
}

static void
drop_delivered(struct run *run)
{
	uint64_t oldest = run->queue.end;
	for (size_t i = 0; i < run->sink_count; i++) {
		const struct sink *sink = &run->sinks[i];
		if (sink->state != SINK_GONE && sink->confirmed < oldest)
			oldest = sink->confirmed;
	}
	queue_drop_before(&run->queue, oldest);
}

/* --- the loop --- */

/* Waits for the input, the sinks, and the next time to do something without either. `ready[i]`: sink i is. Returns
 * whether the input is. */
static bool
wait_for_anything(struct run *run, uint64_t until_ns, bool ready[SINKS_MAX])
{
	struct pollfd fds[SINKS_MAX + 1];
	uint64_t now_ns = clock_monotonic_ns();
	bool wants_input = run->input_fd >= 0 && run->queue.bytes < BACKLOG_MAX_BYTES;

	for (size_t i = 0; i < run->sink_count; i++) {
		uint64_t wakes_ns = sink_wakes_at_ns(&run->sinks[i], now_ns);
		if (wakes_ns < until_ns)
			until_ns = wakes_ns;
		fds[i].fd = sink_waits_for(&run->sinks[i], &run->queue, &fds[i].events);
		fds[i].revents = 0;
	}
	fds[run->sink_count] =
		(struct pollfd){.fd = wants_input ? run->input_fd : -1, .events = POLLIN};

	uint64_t timeout_ns = until_ns;
	if (until_ns != UINT64_MAX)
		timeout_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	if (stop_poll(fds, run->sink_count + 1, timeout_ns) < 0)
		return false;
	for (size_t i = 0; i < run->sink_count; i++)
		ready[i] = fds[i].revents != 0;
	return fds[run->sink_count].revents != 0;
}

/* Says which sinks miss how much; returns the exit code. */
static int
report_undelivered(const struct run *run)
{
	int status = 0;
	for (size_t i = 0; i < run->sink_count; i++) {
		const struct sink *sink = &run->sinks[i];
		if (sink_is_done(sink, &run->queue))
			continue;
		diag_error("sink %s: %" PRIu64 " events not delivered", sink->spec.text,
			run->queue.end - sink->confirmed);
		status = sink->state == SINK_GONE ? EXIT_IO : EXIT_UNAVAILABLE;
	}
	return status;
}

static int
deliver(struct run *run)
{
	uint64_t deadline_ns = UINT64_MAX;
	int status = 0;

	open_input(run);
	while (status == 0) {
		bool ready[SINKS_MAX] = {false};

		if (stop_requested())
			close_input(run);
		if (run->input_fd < 0 && deadline_ns == UINT64_MAX)
			deadline_ns = clock_monotonic_ns() + run->options->flush_timeout_ns;
		if ((run->input_fd < 0 && all_done(run)) || !any_left(run) ||
			clock_monotonic_ns() >= deadline_ns)
			break;

		if (wait_for_anything(run, deadline_ns, ready))
			status = read_input(run);
		uint64_t now_ns = clock_monotonic_ns();
		for (size_t i = 0; i < run->sink_count; i++)
			sink_pump(&run->sinks[i], &run->queue, now_ns, ready[i]);
		drop_delivered(run);
	}
	if (status == 0)
		status = report_undelivered(run);
	return status != 0 ? status : run->input_status;
}

static int
run_with(struct options *options, char **inputs)
{
	char dash[] = "-";
	char *just_stdin[] = {dash, NULL};
	struct run run = {.options = options, .input_fd = -1};

	run.inputs = *inputs != NULL ? inputs : just_stdin;
	for (size_t i = 0; i < options->count; i++)
		sink_init(&run.sinks[run.sink_count++], &options->specs[i], 0);
	int status = deliver(&run);

	close_input(&run);
	for (size_t i = 0; i < run.sink_count; i++)
		sink_fini(&run.sinks[i]);
	queue_fini(&run.queue);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.flush_timeout_ns = DEFAULT_FLUSH_TIMEOUT_NS};

	diag_init("emit");
	options.node = host_node_name();

	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0) {
		for (size_t i = 0; i < options.count; i++)
			sink_spec_fini(&options.specs[i]);
		return status;
	}
	if (options.count == 0)
		sink_spec_parse(&options.specs[options.count++], "-");
	if (stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	/* A sink that goes away is an error of that sink, not the end of the program. */
	signal(SIGPIPE, SIG_IGN);
	return run_with(&options, argv + first);
}
