/* inputs - what emit reads. */
#include "inputs.h"

#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
open_input(struct inputs *inputs, const char *name, struct metrics_cell *malformed)
{
	struct input *input = &inputs->items[inputs->count];
	struct stat status;

	*input = (struct input){.name = name, .is_stdin = strcmp(name, "-") == 0};
	/* A FIFO is waited for by poll(2), not here, where it would keep the others waiting. */
	input->fd = input->is_stdin ? STDIN_FILENO
				    : open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (input->fd < 0) {
		inputs->status = diag_open_failure(name);
		return;
	}
	if (input->is_stdin)
		input->name = "stdin";
	input->is_regular = fstat(input->fd, &status) == 0 && S_ISREG(status.st_mode);
	intake_init(&input->intake, input->fd, input->name);
	input->intake.malformed = malformed;
	inputs->count++;
}

int
inputs_open(struct inputs *inputs, char **names, struct metrics_cell *malformed)
{
	*inputs = (struct inputs){.count = 0};
	if (*names == NULL)
		open_input(inputs, "-", malformed);
	for (; *names != NULL; names++) {
		if (inputs->count == INPUTS_MAX) {
			diag_error("too many inputs: at most %d", INPUTS_MAX);
			inputs_close(inputs);
			return EXIT_USAGE;
		}
		open_input(inputs, *names, malformed);
	}
	return 0;
}

static void
close_input(struct input *input)
{
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
}

bool
inputs_are_open(const struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->items[i].fd >= 0)
			return true;
	}
	return false;
}

/* Of regular files, which are always ready, only the first has its turn. */
static bool
has_its_turn(const struct inputs *inputs, size_t index)
{
	if (inputs->items[index].fd < 0)
		return false;
	for (size_t i = 0; i < index && inputs->items[index].is_regular; i++) {
		if (inputs->items[i].fd >= 0 && inputs->items[i].is_regular)
			return false;
	}
	return true;
}

size_t
inputs_poll(const struct inputs *inputs, struct pollfd *fds)
{
	for (size_t i = 0; i < inputs->count; i++)
		fds[i] = (struct pollfd){
			.fd = has_its_turn(inputs, i) ? inputs->items[i].fd : -1, .events = POLLIN};
	return inputs->count;
}

void
inputs_polled(struct inputs *inputs, const struct pollfd *fds)
{
	for (size_t i = 0; i < inputs->count; i++)
		inputs->items[i].ready = fds[i].fd >= 0 && fds[i].revents != 0;
}

/* Takes the records that one read has brought. */
static int
read_input(struct inputs *inputs, struct input *input, inputs_take *take, void *context)
{
	struct intake_record record;
	enum line_status filled = intake_fill(&input->intake);

	for (;;) {
		switch (intake_next(&input->intake, &record)) {
		case INTAKE_RECORD:
			if (take(context, &record) < 0)
				return -1;
			continue;
		case INTAKE_LOST:
			if (take(context, NULL) < 0)
				return -1;
			continue;
		case INTAKE_MORE:
			if (filled != LINE_ERROR)
				return 0;
			diag_error("%s: %s", input->name, strerror(errno));
			inputs->status = EXIT_IO;
			close_input(input);
			return 0;
		case INTAKE_ERROR:
		case INTAKE_END:
			close_input(input);
			return 0;
		}
	}
}

int
inputs_read(struct inputs *inputs, inputs_take *take, void *context)
{
	for (size_t i = 0; i < inputs->count; i++) {
		struct input *input = &inputs->items[i];
		if (!input->ready)
			continue;
		input->ready = false;
		if (read_input(inputs, input, take, context) < 0)
			return -1;
	}
	return 0;
}
