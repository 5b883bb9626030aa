/* scanwriter - collects scans from their records, and writes each as text, for people or
 * programs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SCANWRITER_H
#define NHM_SCANWRITER_H

#include "intake.h"
#include "scan.h"

#include <stdio.h>

struct scanwriter;

/* Where a text is written. */
struct scanwriter_place {
	int fd;     /* -1: a file that contains only this text */
	bool below; /* below the text of an earlier scan */
};

/* Write the text of a scan, which may be incomplete. Return 0, or -1 with errno when out of
 * memory. */
typedef int scanwriter_print(
	const struct scan *scan, const struct scanwriter_place *place, FILE *out);

/* Each scan replaces the file `path` as a whole (kept, not copied); NULL: stdout. Return NULL when
 * out of memory. */
struct scanwriter *scanwriter_new(scanwriter_print *print, const char *path);
void scanwriter_free(struct scanwriter *writer); /* nullable */

/* Return the name of the output for messages. */
const char *scanwriter_name(const struct scanwriter *writer);

enum scanwriter_status {
	SCANWRITER_ACCEPTED,
	/* invalid record, see `error`; the scan is not whole without it */
	SCANWRITER_BAD,
	SCANWRITER_FAILED, /* writing failed, or out of memory: see errno */
};

/* Accept one record, which stays the caller's and must not change until the end of its scan is
 * accepted. Ignore records that are not part of a scan. */
enum scanwriter_status scanwriter_accept(
	struct scanwriter *writer, json_t *record, struct rec_error *error);

/* Note that a record of the scan was lost. */
void scanwriter_lose(struct scanwriter *writer);

/* Return how many scans were written, including failed attempts. */
uint64_t scanwriter_count(const struct scanwriter *writer);

/* Accept one record and release it. Report an invalid one and count it as lost. Return 0, or -1
 * with errno when writing failed or memory ran out. */
int scanwriter_consume(
	struct scanwriter *writer, struct intake *intake, struct intake_record *record);

/* Consume every record of the file `path`, or of stdin for "-", until it ends or the program is
 * asked to stop (stop_catch()). Report errors on stderr. Return the exit code. */
int scanwriter_read(struct scanwriter *writer, const char *path);

#endif
