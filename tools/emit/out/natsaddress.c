/* natsaddress - parses the address of a NATS JetStream stream. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "natsaddress.h"

#include "hostport.h"
#include "opt.h"
#include "text.h"
#include "webaddress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PORT ":4222"
#define DEFAULT_FABRIC "fabric"

/* Characters accepted in the name of a stream or fabric, and in HOST:PORT. */
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
#define HOST_LETTERS LETTERS ".:[]%"

static bool
copy_word(char out[NATSADDRESS_WORD_SIZE], const char *text, size_t length)
{
	if (length == 0 || length >= NATSADDRESS_WORD_SIZE || strspn(text, LETTERS) < length)
		return false;
	memcpy(out, text, length);
	out[length] = '\0';
	return true;
}

/* Parse STREAM or STREAM/FABRIC. */
static const char *
parse_stream(struct natsaddress *out, const char *text)
{
	size_t length = strcspn(text, "/");
	const char *fabric = text[length] == '/' ? text + length + 1 : DEFAULT_FABRIC;
	return copy_word(out->stream, text, length) &&
			       copy_word(out->fabric, fabric, strlen(fabric))
		       ? NULL
		       : "HOST/STREAM/FABRIC: up to 64 letters, digits, - and _ are expected";
}

const char *
natsaddress_parse(struct natsaddress *out, const char *text)
{
	static const char *const schemes[] = {"nats://", "tls://"};
	size_t i = 0;
	*out = (struct natsaddress){.url = NULL};
	while (i < 2 && !text_has_prefix(text, schemes[i]))
		i++;
	if (i == 2)
		return "nats://HOST/STREAM or tls://HOST/STREAM is expected";
	const char *authority = text + strlen(schemes[i]);
	size_t length = strcspn(authority, "/");
	if (authority[length] == '\0')
		return "the name of a stream is missing";
	if (memchr(authority, '@', length) != NULL)
		return webaddress_password;
	if (strspn(authority, HOST_LETTERS) < length)
		return "not a host and port";
	const char *closing = memchr(authority, ']', length);
	const char *behind = closing != NULL ? closing : authority;
	bool has_port = memchr(behind, ':', (size_t)(authority + length - behind)) != NULL;
	if (asprintf(&out->url, "%s%.*s%s", schemes[i], (int)length, authority,
		    has_port ? "" : DEFAULT_PORT) < 0) {
		out->url = NULL;
		return opt_no_memory;
	}
	const char *host = out->url + strlen(schemes[i]);
	const char *reason = hostport_parse(host, strlen(host), &out->host, &out->port);
	return reason != NULL ? reason : parse_stream(out, authority + length + 1);
}

bool
natsaddress_has_tls(const struct natsaddress *address)
{
	return strncmp(address->url, "tls:", 4) == 0;
}

void
natsaddress_fini(struct natsaddress *address)
{
	free(address->url);
	free(address->host);
	free(address->port);
}
