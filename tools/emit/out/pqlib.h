/* pqlib - loads libpq's functions at run time, only if a PostgreSQL database is configured: not
 * every node has libpq. */
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
	X(PQsetNoticeProcessor) \
	X(PQsetnonblocking) \
	X(PQsocket) \
	X(PQstatus)

/* Function pointers; all NULL until pqlib_load() has succeeded. */
struct pqlib {
	PQLIB_CALLS(LIBRARY_MEMBER)
};
extern struct pqlib pqlib;

/* Load libpq once. Not thread-safe. Return NULL, or the reason of the failure, which is kept. */
const char *pqlib_load(void);

#endif
