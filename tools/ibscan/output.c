/* output - where records go: out as they are, or a scan at a time as metrics. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include "diag.h"
#include "line.h"
#include "scanmetrics.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

const char *const output_format_names[OUTPUT_FORMAT_N] = {
	[OUTPUT_JSON] = "json",
	[OUTPUT_TABLE] = "table",
	[OUTPUT_PROMETHEUS] = "prometheus",
};

/* On stdout scans stand below each other. */
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
	rec_writer_init(&output->records, STDOUT_FILENO);
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
	rec_writer_fini(&output->records);
	pthread_mutex_destroy(&output->lock);
}

const char *
output_name(const struct output *output)
{
	return output->scans != NULL ? scanwriter_name(output->scans) : "stdout";
}

static int
write_as_it_is(struct output *output, const json_t *record)
{
	pthread_mutex_lock(&output->lock);
	int status = rec_write(&output->records, record);
	pthread_mutex_unlock(&output->lock);
	return status;
}

int
output_write(struct output *output, json_t *record)
{
	struct rec_error error;

	if (record == NULL) {
		errno = ENOMEM;
		return -1;
	}
	if (output->scans == NULL)
		return write_as_it_is(output, record);
	switch (scanwriter_accept(output->scans, record, &error)) {
	case SCANWRITER_ACCEPTED:
		return 0;
	case SCANWRITER_BAD:
		/* sysfs holds something that no kernel of today has, such as a name beyond all
		 * bounds */
		diag_warn("%s record left out: %s", rec_kind(record), error.reason);
		return 0;
	case SCANWRITER_FAILED:
		break;
	}
	return -1;
}

int
output_write_new(struct output *output, json_t *record)
{
	int status = output_write(output, record);
	int saved_errno = errno;
	json_decref(record);
	errno = saved_errno;
	return status;
}

int
output_pass(struct output *output, char *text, size_t length)
{
	text[length] = '\n';
	pthread_mutex_lock(&output->lock);
	int status = line_write(output->records.fd, text, length + 1);
	pthread_mutex_unlock(&output->lock);
	return status;
}

bool
output_lock_if_free(struct output *output)
{
	if (pthread_mutex_trylock(&output->lock) != 0)
		return false;
	struct pollfd out = {.fd = output->records.fd, .events = POLLOUT};
	if (poll(&out, 1, 0) == 1 && (out.revents & POLLOUT) != 0)
		return true;
	pthread_mutex_unlock(&output->lock);
	return false;
}

void
output_write_locked(struct output *output, const json_t *record)
{
	(void)rec_write(&output->records, record);
}

void
output_unlock(struct output *output)
{
	pthread_mutex_unlock(&output->lock);
}
