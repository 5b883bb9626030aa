/* pqlib - the functions of libpq, which is loaded when somebody names a database of PostgreSQL: not
 * every node has it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_PQLIB_H
#define EMIT_PQLIB_H

#include "library.h"

#include <libpq-fe.h>

#define PQLIB_CALLS(X) \
	X(PQclear) \
	X(PQconnectPoll) \
	X(PQconnectStartParams) \
	X(PQconninfoFree) \
	X(PQconninfoParse) \
	X(PQconsumeInput) \
	X(PQdb) \
	X(PQerrorMessage) \
	X(PQfinish) \
	X(PQflush) \
	X(PQfreemem) \
	X(PQgetResult) \
	X(PQgetisnull) \
	X(PQgetlength) \
	X(PQgetvalue) \
	X(PQisBusy) \
	X(PQntuples) \
	X(PQresultErrorField) \
	X(PQresultErrorMessage) \
	X(PQresultStatus) \
	X(PQsendQuery) \
	X(PQsendQueryParams) \
	X(PQsetnonblocking) \
	X(PQsocket) \
	X(PQstatus)

/* By their own names; all NULL until pqlib_load() has succeeded. */
struct pqlib {
	PQLIB_CALLS(LIBRARY_MEMBER)
};
extern struct pqlib pqlib;

/* Loads it, once. Not for threads. NULL, or why it cannot be loaded, which stays. */
const char *pqlib_load(void);

#endif
