/* inputs - reads files, pipes and FIFOs at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_regular(const char *name)
{
	struct stat status;
	int failed = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(name, &status);
	return failed == 0 && S_ISREG(status.st_mode);
}

static void
open_input(struct inputs *inputs, struct input *input)
{
	input->is_waiting = false;
	/* O_NONBLOCK: opening a FIFO that has no writer must not block the other inputs. */
	input->fd = input->is_stdin
			    ? STDIN_FILENO
			    : open(input->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (input->fd < 0) {
		inputs->status = diag_open_failure(input->name);
		return;
	}
	if (input->is_stdin)
		input->name = "stdin";
	intake_init(&input->intake, input->fd, input->name);
	input->intake.malformed = inputs->malformed;
}

/* Open the next regular file unless one is being read. poll(2) always reports regular files as
 * ready, so only one is read at a time. */
static void
open_next(struct inputs *inputs)
{
	while (inputs->turn < inputs->count) {
		struct input *input = &inputs->items[inputs->turn];
		if (input->is_waiting)
			open_input(inputs, input);
		if (input->is_regular && input->fd >= 0)
			return;
		inputs->turn++;
	}
}

int
inputs_open(struct inputs *inputs, char **names, struct metrics_cell *malformed)
{
	static char stdin_name[] = "-";
	char *only_stdin[] = {stdin_name, NULL};
	size_t count = 0;

	if (*names == NULL)
		names = only_stdin;
	while (names[count] != NULL)
		count++;
	*inputs = (struct inputs){.malformed = malformed};
	inputs->items = calloc(count, sizeof *inputs->items);
	if (inputs->items == NULL)
		return -1;
	for (; inputs->count < count; inputs->count++) {
		struct input *input = &inputs->items[inputs->count];
		const char *name = names[inputs->count];
		bool has_turns = is_regular(name);
		*input = (struct input){.name = name,
			.fd = -1,
			.is_stdin = strcmp(name, "-") == 0,
			.is_regular = has_turns,
			.is_waiting = has_turns};
		if (!has_turns)
			open_input(inputs, input);
	}
	open_next(inputs);
	return 0;
}

static void
close_input(struct input *input)
{
	input->is_waiting = false;
	if (input->fd < 0)
		return;
	intake_fini(&input->intake);
	if (!input->is_stdin)
		close(input->fd);
	input->fd = -1;
}

void
inputs_close(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		close_input(&inputs->items[i]);
	free(inputs->items);
	inputs->items = NULL;
	inputs->count = 0;
}

bool
inputs_are_open(const struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->items[i].fd >= 0 || inputs->items[i].is_waiting)
			return true;
	}
	return false;
}

size_t
inputs_poll(const struct inputs *inputs, struct pollfd *fds)
{
	size_t count = 0;
	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->items[i].fd >= 0)
			fds[count++] = (struct pollfd){.fd = inputs->items[i].fd, .events = POLLIN};
	}
	return count;
}

void
inputs_polled(struct inputs *inputs, const struct pollfd *fds)
{
	size_t at = 0;
	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->items[i].fd >= 0)
			inputs->items[i].ready = fds[at++].revents != 0;
	}
}

bool
inputs_are_ready(const struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->items[i].ready)
			return true;
	}
	return false;
}

/* Read once and pass on each record. */
static int
read_input(struct inputs *inputs, struct input *input, inputs_accept *accept, void *context)
{
	struct intake_record record;
	enum line_status filled = intake_fill(&input->intake);

	for (;;) {
		switch (intake_next(&input->intake, &record)) {
		case INTAKE_RECORD:
			if (accept(context, &record) < 0)
				return -1;
			continue;
		case INTAKE_LOST:
			if (accept(context, NULL) < 0)
				return -1;
			continue;
		case INTAKE_MORE:
			if (filled != LINE_ERROR)
				return 0;
			diag_error("%s: %s", input->name, strerror(errno));
			inputs->status = EXIT_IO;
			close_input(input);
			return 0;
		case INTAKE_END:
			close_input(input);
			return 0;
		}
	}
}

int
inputs_read(struct inputs *inputs, inputs_accept *accept, void *context)
{
	for (size_t i = 0; i < inputs->count; i++) {
		struct input *input = &inputs->items[i];
		if (!input->ready)
			continue;
		input->ready = false;
		if (read_input(inputs, input, accept, context) < 0)
			return -1;
	}
	open_next(inputs);
	return 0;
}
