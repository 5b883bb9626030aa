/* pass - reads from a descriptor, as records to stdout. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_PASS_H
#define NHM_LNETREAD_PASS_H

#include "lnet.h"
#include "rec.h"

struct pass {
	struct rec_writer writer;
	struct lnet lnet;              /* of the latest read */
	char reason[LNET_REASON_SIZE]; /* what was said of it, "" for nothing */
	int code;                      /* the exit code for it */
};

void pass_init(struct pass *pass);
void pass_fini(struct pass *pass);

/* Writes records for all reads of `fd`, which messages call `name`, and says what is wrong with a
 * read unless that was said of the one before it. 0, or the exit code of a failure that ends the
 * program, which has been said. */
int pass_all(struct pass *pass, int fd, const char *name);

#endif
