/* pass - writes the reads of a descriptor as records to stdout. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_PASS_H
#define NHM_LNETREAD_PASS_H

#include "lnet.h"
#include "rec.h"

struct pass {
	struct rec_writer writer;
	struct lnet lnet;              /* the last read */
	char reason[LNET_REASON_SIZE]; /* message about the last read; "": none */
	int code;                      /* exit code for the last read */
};

void pass_init(struct pass *pass);
void pass_fini(struct pass *pass);

/* Write records for all reads of `fd`, which messages call `name`. Print a warning about a bad
 * read, unless the read before it had the same problem. Return 0, or the exit code of a fatal
 * error, which has been printed. */
int pass_all(struct pass *pass, int fd, const char *name);

#endif
