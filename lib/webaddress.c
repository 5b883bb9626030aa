/* webaddress - the address of a webhook, in which all that follows the host may be a secret. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "webaddress.h"

#include <stdbool.h>
#include <string.h>

const char webaddress_password[] =
	"a password does not belong on the command line: use --token-file";

const char *
webaddress_rest(const char *text)
{
	static const char *const schemes[] = {"http://", "https://"};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		if (strncmp(text, schemes[i], strlen(schemes[i])) == 0)
			return text + strlen(schemes[i]);
	}
	return NULL;
}

/* Of an address of another kind, nats:tls://... or postgresql://..., what stands before a password
 * that does not belong there; all of it when there is none. */
static size_t
shown_of_other(const char *text)
{
	size_t scheme = strspn(text, "abcdefghijklmnopqrstuvwxyz:");
	const char *rest = text + scheme + 2;
	if (strncmp(text + scheme, "//", 2) != 0)
		return strlen(text);
	size_t user = strcspn(rest, ":/?#@");
	bool has_password = rest[user] == ':' && memchr(rest, '@', strcspn(rest, "/?#")) != NULL;
	return has_password || strstr(rest, "password=") != NULL ? (size_t)(rest - text)
								 : strlen(text);
}

size_t
webaddress_shown(const char *text)
{
	const char *rest = webaddress_rest(text);
	if (rest == NULL)
		return shown_of_other(text);
	size_t host = strcspn(rest, "/?#\\");
	if (memchr(rest, '@', host) != NULL)
		return (size_t)(rest - text);
	return strcmp(rest + host, "/") == 0 ? strlen(text) : (size_t)(rest - text) + host;
}

void
webaddress_hide(char *text)
{
	size_t shown = webaddress_shown(text);
	size_t room = strlen(text) - shown;
	memset(text + shown, '\0', room);
	memcpy(text + shown, "/...", room < 4 ? room : 4);
}
