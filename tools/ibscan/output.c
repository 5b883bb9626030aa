/* output - writes records to stdout, or each scan as metrics. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include "diag.h"
#include "line.h"
#include "scanmetrics.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* Write at this size: a pipe's capacity. */
#define KEPT_BACK_MAX ((size_t)64 * 1024)

const char *const output_format_names[OUTPUT_FORMAT_N] = {
	[OUTPUT_JSON] = "json",
	[OUTPUT_TABLE] = "table",
	[OUTPUT_PROMETHEUS] = "prometheus",
};

/* On stdout, an empty line separates the scans. */
static int
print_metrics(const struct scan *scan, const struct scanwriter_place *place, FILE *out)
{
	if (place->below)
		fputc('\n', out);
	return scanmetrics_print(scan, out);
}

int
output_init(struct output *output, enum output_format format, const char *path)
{
	*output = (struct output){0};
	output->fd = STDOUT_FILENO;
	pthread_mutex_init(&output->lock, NULL);
	if (format == OUTPUT_JSON)
		return 0;
	output->scans = scanwriter_new(print_metrics, path);
	return output->scans != NULL ? 0 : -1;
}

void
output_fini(struct output *output)
{
	scanwriter_free(output->scans);
	strbuf_fini(&output->lines);
	pthread_mutex_destroy(&output->lock);
}

const char *
output_name(const struct output *output)
{
	return output->scans != NULL ? scanwriter_name(output->scans) : "stdout";
}

static int
write_out(struct output *output, const char *lines, size_t length)
{
	pthread_mutex_lock(&output->lock);
	int status = line_write(output->fd, lines, length);
	pthread_mutex_unlock(&output->lock);
	return status;
}

int
output_flush(struct output *output)
{
	if (output->lines.length == 0)
		return 0;
	int status = write_out(output, output->lines.bytes, output->lines.length);
	strbuf_clear(&output->lines);
	return status;
}

/* Write the gathered lines if they are too long to hold back. Return 0, or -1 with errno. */
static int
added(struct output *output)
{
	if (output->lines.is_short) {
		errno = ENOMEM;
		return -1;
	}
	return output->lines.length < KEPT_BACK_MAX ? 0 : output_flush(output);
}

static int
gather(struct output *output, json_t *record)
{
	struct rec_error error;

	switch (scanwriter_accept(output->scans, record, &error)) {
	case SCANWRITER_ACCEPTED:
		return 0;
	case SCANWRITER_BAD:
		/* sysfs has a value that no current kernel writes, such as an overlong name */
		diag_warn("%s record skipped: %s", rec_kind(record), error.reason);
		return 0;
	case SCANWRITER_FAILED:
		break;
	}
	return -1;
}

int
output_write_new(struct output *output, json_t *record)
{
	int status = -1;

	if (record == NULL) {
		errno = ENOMEM;
		return -1;
	}
	if (output->scans != NULL)
		status = gather(output, record);
	else if (rec_add_line(&output->lines, record) == 0)
		status = added(output);
	int saved_errno = errno;
	json_decref(record);
	errno = saved_errno;
	return status;
}

int
output_write_line(struct output *output, const struct strbuf *line, int made)
{
	if (made != 0) {
		errno = ENOMEM;
		return -1;
	}
	if (output->scans != NULL)
		return output_write_new(output, json_loadb(line->bytes, line->length, 0, NULL));
	strbuf_add(&output->lines, line->bytes, line->length);
	return added(output);
}

int
output_pass(struct output *output, char *text, size_t length)
{
	text[length] = '\n';
	return write_out(output, text, length + 1);
}

bool
output_lock_if_free(struct output *output)
{
	if (pthread_mutex_trylock(&output->lock) != 0)
		return false;
	struct pollfd out = {.fd = output->fd, .events = POLLOUT};
	if (poll(&out, 1, 0) == 1 && (out.revents & POLLOUT) != 0)
		return true;
	pthread_mutex_unlock(&output->lock);
	return false;
}

void
output_write_locked(struct output *output, const json_t *record)
{
	size_t length;
	char *line = rec_dump_new(record, &length);
	if (line != NULL)
		(void)line_write(output->fd, line, length);
	free(line);
}

void
output_unlock(struct output *output)
{
	pthread_mutex_unlock(&output->lock);
}
