/* webaddress - hides the parts of a sink's address that may be secret. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "webaddress.h"

#include "array.h"
#include "text.h"

#include <stdbool.h>
#include <string.h>

const char webaddress_password[] =
	"a password does not belong on the command line: use --token-file";
const char webaddress_expected[] =
	"http://, https://, webhook:@FILE or webhook:$VARIABLE is expected";

const char *
webaddress_rest(const char *text)
{
	static const char *const schemes[] = {"http://", "https://"};
	for (size_t i = 0; i < ARRAY_COUNT(schemes); i++) {
		if (text_has_prefix(text, schemes[i]))
			return text + strlen(schemes[i]);
	}
	return NULL;
}

/* Beginnings of paths, and of references to where the address is stored. */
static const char *const paths[] = {
	"file:", "unix:", "exec:", "journal:", "grpc:unix:", "webhook:@", "webhook:$", NULL};

/* For these, the part after the host is not secret, up to a query. */
static const char *const known[] = {"alertmanager:", "grpc:", "nats:", "tls:", NULL};

/* For these, everything after the scheme may be secret, even if it is not a valid address. */
static const char *const webhooks[] = {"http:", "https:", "webhook:", NULL};

static bool
begins_with_one(const char *text, const char *const *beginnings)
{
	while (*beginnings != NULL && !text_has_prefix(text, *beginnings))
		beginnings++;
	return *beginnings != NULL;
}

/* A database address may contain a user, which is not secret, and a password in two places. */
static bool
has_database_password(const char *rest)
{
	size_t user = strcspn(rest, ":/?#@");
	return (rest[user] == ':' && memchr(rest, '@', strcspn(rest, "/?#")) != NULL) ||
	       strstr(rest, "password=") != NULL;
}

/* Return how much of `rest`, the part after `//`, may be shown. */
static size_t
shown_of_rest(const char *text, const char *rest)
{
	size_t host = strcspn(rest, "/?#\\");
	if (text_has_prefix(text, "postgresql:"))
		return has_database_password(rest) ? 0 : strlen(rest);
	/* User information without a colon may be a token, as in NATS. */
	if (memchr(rest, '@', host) != NULL)
		return 0;
	if (begins_with_one(text, known))
		return strcspn(rest, "?#\\");
	return strcmp(rest + host, "/") == 0 ? strlen(rest) : host;
}

size_t
webaddress_shown(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-.:";
	const char *slashes = text + strspn(text, letters);
	if (begins_with_one(text, paths))
		return strlen(text);
	if (strncmp(slashes, "//", 2) == 0)
		return (size_t)(slashes + 2 - text) + shown_of_rest(text, slashes + 2);
	return begins_with_one(text, webhooks) ? strcspn(text, ":") + 1 : strlen(text);
}

void
webaddress_hide(char *text)
{
	size_t shown = webaddress_shown(text);
	size_t room = strlen(text) - shown;
	memset(text + shown, '\0', room);
	memcpy(text + shown, "/...", room < 4 ? room : 4);
}
