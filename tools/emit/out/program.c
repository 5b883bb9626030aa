/* program - the sink that runs a program per batch, with the events as lines on its stdin; the exit
 * status is the result. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "courier.h"
#include "diag.h"
#include "proc.h"
#include "request.h"
#include "sink.h"
#include "sinkspec.h"
#include "starter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
	struct courier courier;
	int fd; /* socket to the starter */
	char *lines;
	size_t length;
};

/* --- exit status --- */

/* Fill `reason` unless the verdict is ACCEPTED. */
static enum verdict
eval_end(const struct starter_end *end, char reason[VERDICT_REASON_SIZE])
{
	char words[64];
	if (end->error != 0) {
		verdict_explain(reason, "cannot be started", strerror(end->error),
			strlen(strerror(end->error)));
		return VERDICT_RETRY;
	}
	if (end->was_late) {
		verdict_explain(reason, "did not finish in time and was killed", "", 0);
		return VERDICT_RETRY;
	}
	verdict_explain(reason, proc_describe_end(&end->info, words, sizeof words), "", 0);
	/* 126 and 127 as in a shell: the program cannot be run, or does not exist. */
	if (end->info.si_code != CLD_EXITED || end->info.si_status == EXIT_TRY_LATER ||
		end->info.si_status == 126 || end->info.si_status == 127)
		return VERDICT_RETRY;
	return end->info.si_status == 0 ? VERDICT_ACCEPTED : VERDICT_REFUSED;
}

/* --- the courier --- */

static void
run(void *context)
{
	struct program *program = context;
	struct starter_end end;
	char reason[VERDICT_REASON_SIZE];
	if (starter_run(program->fd, program->lines, program->length, &end) < 0) {
		courier_note(&program->courier, VERDICT_RETRY,
			"the process that starts the program has exited: restart emit", NULL);
		return;
	}
	enum verdict verdict = eval_end(&end, reason);
	if (verdict != VERDICT_ACCEPTED)
		courier_note(&program->courier, verdict, reason, NULL);
}

static int
init(struct sink *sink)
{
	struct program *program = calloc(1, sizeof *program);
	if (program == NULL || courier_init(&program->courier) < 0) {
		free(program);
		return -1;
	}
	program->fd = sink->spec.starter;
	sink->request->program = program;
	sink->request->courier = &program->courier;
	return 0;
}

/* Free it. If the program is running, abandon it. */
static void
fini(struct sink *sink)
{
	struct program *program = sink->request->program;
	if (courier_is_busy(&program->courier))
		return;
	courier_fini(&program->courier);
	free(program->lines);
	free(program);
}

static void
describe(const struct sink *sink, char *answer, size_t size)
{
	(void)sink;
	snprintf(answer, size, "exited with 0");
}

static const struct request_carrier carrier = {
	.init = init,
	.fini = fini,
	.describe = describe,
};

/* --- the sink --- */

static const char *
parse(struct sink_spec *spec, const char *rest)
{
	/* The program must not depend on emit's working directory. */
	return *rest == '/' ? sink_spec_parse_path(spec, rest)
			    : "the program's path must begin with /";
}

static enum request_outcome
post(struct sink *sink, struct journal *journal)
{
	const struct batch *batch = &sink->request->batch;
	struct program *program = sink->request->program;
	size_t length;
	(void)journal;
	free(program->lines);
	program->lines = batch_lines_new(batch, &length);
	if (program->lines == NULL)
		return REQUEST_NO_MEMORY;
	program->length = length;
	courier_begin(&program->courier, run, program);
	return REQUEST_POSTED;
}

static const struct request_kind requests = {
	.carrier = &carrier, .asks_for_quiet = true, .post = post};

const struct sink_kind sink_exec = {
	.parse = parse,
	.is_program = true,
	.engine = &request_engine,
	.request = &requests,
};
