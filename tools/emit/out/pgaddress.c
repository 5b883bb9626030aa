/* pgaddress - parses the address of a PostgreSQL database. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pgaddress.h"

#include "opt.h"
#include "pqlib.h"
#include "webaddress.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PORT "5432"

/* Return the member for a part of the address, or NULL. */
static char **
place_of(struct pgaddress *out, const char *keyword)
{
	if (strcmp(keyword, "host") == 0)
		return &out->host;
	if (strcmp(keyword, "port") == 0)
		return &out->port;
	if (strcmp(keyword, "dbname") == 0)
		return &out->database;
	return strcmp(keyword, "user") == 0 ? &out->user : NULL;
}

/* Store one part of the address. Return NULL or the reason why it is invalid. */
static const char *
take(struct pgaddress *out, const PQconninfoOption *part)
{
	char **place = place_of(out, part->keyword);
	if (strcmp(part->keyword, "password") == 0)
		return webaddress_password;
	if (strcmp(part->keyword, "sslmode") == 0) {
		out->has_tls = strcmp(part->val, "verify-full") == 0;
		return out->has_tls || strcmp(part->val, "disable") == 0
			       ? NULL
			       : "sslmode must be verify-full (the default) or disable";
	}
	if (place == NULL)
		return "only postgresql://USER@HOST/DATABASE and sslmode are allowed";
	*place = strdup(part->val);
	return *place != NULL ? NULL : opt_no_memory;
}

const char *
pgaddress_parse(struct pgaddress *out, const char *text)
{
	const char *reason = pqlib_load();
	char *words = NULL;
	*out = (struct pgaddress){.has_tls = true};
	if (reason != NULL)
		return reason;
	errno = 0;
	PQconninfoOption *parts = pqlib.PQconninfoParse(text, &words);
	bool has_memory = words != NULL && errno != ENOMEM;
	pqlib.PQfreemem(words);
	if (parts == NULL && !has_memory)
		return opt_no_memory;
	if (parts == NULL)
		return "not an address: postgresql://USER@HOST/DATABASE is expected";
	for (const PQconninfoOption *part = parts; part->keyword != NULL && reason == NULL; part++)
		if (part->val != NULL)
			reason = take(out, part);
	pqlib.PQconninfoFree(parts);
	if (reason != NULL)
		return reason;
	if (out->user == NULL || out->database == NULL)
		return "postgresql://USER@HOST/DATABASE is expected";
	if (out->host == NULL || strchr(out->host, ',') != NULL)
		return "one host is expected, or the directory of a socket";
	if (out->port == NULL && (out->port = strdup(DEFAULT_PORT)) == NULL)
		return opt_no_memory;
	out->is_local = *out->host == '/';
	out->has_tls = out->has_tls && !out->is_local;
	return NULL;
}

void
pgaddress_fini(struct pgaddress *address)
{
	free(address->host);
	free(address->port);
	free(address->database);
	free(address->user);
}
