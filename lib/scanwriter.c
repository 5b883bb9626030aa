/* scanwriter - collects scans from their records, and writes each as text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scanwriter.h"

#include "atomfile.h"
#include "diag.h"
#include "filter.h"
#include "line.h"
#include "stop.h"
#include "strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scanwriter {
	scanwriter_print *print;
	const char *path; /* nullable */
	struct scan scan;
	uint64_t count; /* scans written */
};

struct scanwriter *
scanwriter_new(scanwriter_print *print, const char *path)
{
	struct scanwriter *writer = calloc(1, sizeof *writer);
	if (writer == NULL)
		return NULL;
	writer->print = print;
	writer->path = path;
	return writer;
}

void
scanwriter_free(struct scanwriter *writer)
{
	if (writer == NULL)
		return;
	scan_fini(&writer->scan);
	free(writer);
}

const char *
scanwriter_name(const struct scanwriter *writer)
{
	return writer->path != NULL ? writer->path : "stdout";
}

/* Write the whole text at once, so that a reader never sees half a scan. */
static int
write_text(struct scanwriter *writer, const struct strbuf *text)
{
	const char *bytes = text->length > 0 ? text->bytes : "";
	if (writer->path != NULL)
		return atomfile_write(writer->path, bytes, text->length, ATOMFILE_PUBLIC_MODE);
	return line_write(STDOUT_FILENO, bytes, text->length);
}

/* Skip extra scans: they lack most of what the text shows. */
static int
write_scan(struct scanwriter *writer)
{
	const struct scanwriter_place place = {
		.fd = writer->path != NULL ? -1 : STDOUT_FILENO,
		.below = writer->count > 0 && writer->path == NULL,
	};
	struct strbuf text = {0};
	if (writer->scan.begin.extra) {
		scan_clear(&writer->scan);
		return 0;
	}
	FILE *memory = strbuf_open(&text);
	if (memory == NULL)
		return -1;
	int status = writer->print(&writer->scan, &place, memory);
	if (fclose(memory) != 0)
		status = -1;
	if (status < 0)
		errno = ENOMEM; /* text in memory cannot fail otherwise */
	else
		status = write_text(writer, &text);
	strbuf_fini(&text);
	scan_clear(&writer->scan);
	writer->count++;
	return status;
}

/* End the scan: write a scan that was cut off as far as it goes. */
static int
end_scan(struct scanwriter *writer)
{
	if (!writer->scan.open)
		return 0;
	writer->scan.whole = false;
	return write_scan(writer);
}

static enum scanwriter_status
gather(struct scanwriter *writer, enum scanrec_kind kind, json_t *record, struct rec_error *error)
{
	if (kind == SCANREC_BEGIN && end_scan(writer) < 0)
		return SCANWRITER_FAILED;
	switch (scan_accept(&writer->scan, kind, json_incref(record), error)) {
	case SCAN_ACCEPTED:
	case SCAN_IGNORED:
		return SCANWRITER_ACCEPTED;
	case SCAN_FINISHED:
		return write_scan(writer) < 0 ? SCANWRITER_FAILED : SCANWRITER_ACCEPTED;
	case SCAN_BAD:
		/* An invalid scan.end still ends the scan. */
		return kind == SCANREC_END && write_scan(writer) < 0 ? SCANWRITER_FAILED
								     : SCANWRITER_BAD;
	case SCAN_NO_MEMORY:
		break;
	}
	errno = ENOMEM;
	return SCANWRITER_FAILED;
}

enum scanwriter_status
scanwriter_accept(struct scanwriter *writer, json_t *record, struct rec_error *error)
{
	enum scanrec_kind kind = scanrec_kind(record);
	struct scanrec_stall stall;
	switch (kind) {
	case SCANREC_STALL:
		if (!scanrec_decode_stall(record, &stall, error))
			return SCANWRITER_BAD;
		diag_warn("the scan makes no progress: it has been running for %lld s",
			(long long)stall.in_flight_ms / 1000);
		return SCANWRITER_ACCEPTED;
	case SCANREC_OTHER:
		return SCANWRITER_ACCEPTED;
	case SCANREC_BEGIN:
	case SCANREC_DEVICE:
	case SCANREC_PORT:
	case SCANREC_END:
		break;
	}
	return gather(writer, kind, record, error);
}

void
scanwriter_lose(struct scanwriter *writer)
{
	writer->scan.whole = false;
}

uint64_t
scanwriter_count(const struct scanwriter *writer)
{
	return writer->count;
}

/* --- reading a file or pipe --- */

int
scanwriter_consume(struct scanwriter *writer, struct intake *intake, struct intake_record *record)
{
	struct rec_error error;
	enum scanwriter_status status = scanwriter_accept(writer, record->json, &error);
	int saved_errno = errno;

	if (status == SCANWRITER_BAD)
		intake_reject(intake, &error);
	json_decref(record->json);
	errno = saved_errno;
	return status == SCANWRITER_FAILED ? -1 : 0;
}

static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	return scanwriter_consume(context, intake, record);
}

static void
lose(void *context)
{
	scanwriter_lose(context);
}

static int
end(void *context)
{
	return end_scan(context);
}

/* Warn if the input had no scan: empty output looks like a node without findings. A program that
 * was asked to stop does not wait for a scan. */
static void
warn_empty(const char *name, const struct scanwriter *writer, int status)
{
	if (status == 0 && scanwriter_count(writer) == 0 && !stop_requested())
		diag_warn("%s: contains no scan (no scan.begin): nothing is written", name);
}

int
scanwriter_read(struct scanwriter *writer, const char *path)
{
	const struct filter filter = {
		.accept = accept_record,
		.lose = lose,
		.end = end,
		.output_name = scanwriter_name(writer),
	};
	if (strcmp(path, "-") == 0) {
		int status = filter_run(&filter, writer);
		warn_empty("stdin", writer, status);
		return status;
	}

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diag_open_failure(path);
	int status = filter_run_file(&filter, writer, fd, path);
	close(fd);
	warn_empty(path, writer, status);
	return status;
}
