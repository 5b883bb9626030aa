/* scanwriter - scans gathered from their records, and written one at a time as a text: for people,
 * or for other programs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SCANWRITER_H
#define NHM_SCANWRITER_H

#include "intake.h"
#include "scan.h"

#include <stdio.h>

struct scanwriter;

/* Where a text comes to stand. */
struct scanwriter_place {
	int fd;     /* -1: in a file that has nothing else in it */
	bool below; /* under the text of the scan before */
};

/* Makes the text of a scan, which need not be whole. 0, or -1 with errno when memory ran out. */
typedef int scanwriter_print(
	const struct scan *scan, const struct scanwriter_place *place, FILE *out);

/* `path` (kept, not copied) is replaced as a whole by each scan; NULL: stdout. NULL when memory
 * runs out. */
struct scanwriter *scanwriter_new(scanwriter_print *print, const char *path);
void scanwriter_free(struct scanwriter *writer); /* nullable */

/* What messages call the place it writes to. */
const char *scanwriter_name(const struct scanwriter *writer);

enum scanwriter_status {
	SCANWRITER_ACCEPTED,
	/* the record is not what its kind promises, see `error`; without it the scan is not
	 * whole */
	SCANWRITER_BAD,
	SCANWRITER_FAILED, /* writing failed, or memory ran out: see errno */
};

/* Accepts one record, which stays the caller's, and stays as it is until the scan's end is
 * accepted. Records of other kinds than a scan's are of no use. */
enum scanwriter_status scanwriter_accept(
	struct scanwriter *writer, json_t *record, struct rec_error *error);

/* A record of the scan was lost on the way. */
void scanwriter_lose(struct scanwriter *writer);

/* How many scans it has written, or tried to. */
uint64_t scanwriter_count(const struct scanwriter *writer);

/* Accepts one record, and releases it. One that is not what its kind promises is said and counted
 * as lost. 0, or -1 with errno when writing failed or memory ran out. */
int scanwriter_consume(
	struct scanwriter *writer, struct intake *intake, struct intake_record *record);

/* Consumes every record of the file `path`, or of stdin for "-", until it ends or the program is
 * asked to stop (stop_catch()). What goes wrong is said on stderr; returns the exit code. */
int scanwriter_read(struct scanwriter *writer, const char *path);

#endif
