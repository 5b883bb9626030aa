/* session - one run of natsread: messages of a stream in, records and marks out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NATSREAD_SESSION_H
#define NATSREAD_SESSION_H

#include "feed.h"

enum session_from { SESSION_FROM_ALL, SESSION_FROM_NEW, SESSION_FROM_N };

struct session_options {
	struct natsaddress address;
	struct natsdial dial; /* without url and host */
	/* where its receiver says what it has stored; NULL: no marks are written */
	const char *acks_path;
	enum session_from from; /* where it begins if the acks say nothing */
};

/* Reads until it is asked to stop, or nobody reads what it writes. Returns the exit code. */
int session_run(const struct session_options *options);

#endif
