/* events - reads ibevent's records, passes them on, and requests extra scans of their devices. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include "array.h"
#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "rec.h"
#include "stop.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum events_about
events_parse(const json_t *record, const char **device)
{
	static const char *const about_states[] = {"PORT_", "LINK_", "DEVICE_"};
	const char *event = NULL;

	*device = NULL;
	if (strcmp(rec_kind(record), "gap") == 0)
		return EVENTS_ALL;
	if (strcmp(rec_kind(record), "async") != 0 ||
		rec_get_string(record, "event", &event) != REC_OK || event == NULL ||
		rec_get_string(record, "device", device) != REC_OK || *device == NULL)
		return EVENTS_NOTHING;
	for (size_t i = 0; i < ARRAY_COUNT(about_states); i++) {
		if (text_has_prefix(event, about_states[i]))
			return EVENTS_DEVICE;
	}
	return EVENTS_NOTHING;
}

int
events_open(struct events *events, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "stdin" : path;

	/* O_NONBLOCK: opening a FIFO must not wait for its writer. */
	events->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (events->fd < 0)
		return diag_open_failure(path);
	intake_init(&events->intake, events->fd, name);
	return 0;
}

void
events_close(struct events *events)
{
	if (events->fd < 0)
		return;
	intake_fini(&events->intake);
	if (events->fd != STDIN_FILENO)
		fd_close(events->fd);
	events->fd = -1;
}

/* Handle one record and release its json. Return 0, or -1 with errno. */
static int
accept_record(struct events *events, struct intake_record *record)
{
	const char *device;

	switch (events_parse(record->json, &device)) {
	case EVENTS_NOTHING:
		break;
	case EVENTS_DEVICE:
	case EVENTS_ALL:
		glance_want(events->glance, device);
		break;
	}
	json_decref(record->json);
	return output_pass(events->output, record->text, record->length);
}

static void
report_end(const struct events *events)
{
	static const char text[] = "%s: end of the events, scans continue";
	if (events->is_stage)
		diag_info(text, events->intake.name);
	else
		diag_note(text, events->intake.name);
}

/* Read the available events. Return 0, or -1 with errno. */
static int
read_some(struct events *events)
{
	struct intake_record record;
	int status = 0;

	if (intake_fill(&events->intake) == LINE_ERROR) {
		diag_warn("%s: %s: reading no more events, scans continue", events->intake.name,
			strerror(errno));
		events_close(events);
		return 0;
	}
	while (status == 0) {
		switch (intake_next(&events->intake, &record)) {
		case INTAKE_RECORD:
			status = accept_record(events, &record);
			break;
		case INTAKE_LOST:
			break;
		case INTAKE_MORE:
			return 0;
		case INTAKE_END:
			report_end(events);
			events_close(events);
			return 0;
		}
	}
	return status;
}

int
events_wait(struct events *events, uint64_t until_ns)
{
	struct pollfd input = {.fd = events->fd, .events = POLLIN};

	if (stop_poll(&input, 1, clock_left_ns(until_ns, clock_monotonic_ns())) > 0)
		return read_some(events);
	return 0;
}
