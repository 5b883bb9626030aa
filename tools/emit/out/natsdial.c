/* natsdial - connects to NATS servers by libnats. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "natsdial.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Start of a credentials file. */
#define CREDENTIALS "-----BEGIN NATS"

/* Unanswered pings after which a connection is closed. */
#define PINGS 2

/* Time for libnats' threads to end. */
#define END_MS 1000

/* A server does not answer a message that the user may not publish, but tells so apart from it.
 * Return NULL if it has refused none. */
static const char *
refused_right(natsConnection *connection)
{
	const char *words = NULL;
	return connection != NULL && natslib.natsConnection_GetLastError(connection, &words) ==
					     NATS_NOT_PERMITTED
		       ? words
		       : NULL;
}

/* Strip the location from errors such as "(conn.c:2088): No server available". */
const char *
natsdial_words(natsConnection *connection, natsStatus status)
{
	const char *right = status == NATS_TIMEOUT ? refused_right(connection) : NULL;
	if (right != NULL)
		return right;
	const char *words = natslib.nats_GetLastError(NULL);
	const char *behind = words != NULL && *words == '(' ? strstr(words, "): ") : NULL;
	if (behind != NULL)
		return behind + strlen("): ");
	return words != NULL && *words != '\0' ? words : natslib.natsStatus_GetText(status);
}

static bool
holds_credentials(const char *path)
{
	char begin[sizeof CREDENTIALS - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool holds = fd >= 0 && read(fd, begin, sizeof begin) == (ssize_t)sizeof begin &&
		     memcmp(begin, CREDENTIALS, sizeof begin) == 0;
	if (fd >= 0)
		close(fd);
	return holds;
}

static natsStatus
set_token(natsOptions *options, const char *path, char problem[TRUST_PROBLEM_SIZE])
{
	char token[TOKEN_SIZE];
	if (holds_credentials(path))
		return natslib.natsOptions_SetUserCredentialsFromFiles(options, path, NULL);
	if (token_read("token file", path, token, problem) < 0)
		return NATS_ERR;
	return natslib.natsOptions_SetToken(options, token);
}

static natsStatus
set_tls(natsOptions *options, const struct natsdial *dial)
{
	const struct trust_files *files = dial->files;
	const char *host = dial->server_name != NULL ? dial->server_name : dial->host;
	natsStatus status = natslib.natsOptions_SetSecure(options, true);
	if (status == NATS_OK)
		status = natslib.natsOptions_SetExpectedHostname(options, host);
	if (status == NATS_OK && files->ca != NULL)
		status = natslib.natsOptions_LoadCATrustedCertificates(options, files->ca);
	if (status == NATS_OK && files->cert != NULL)
		status =
			natslib.natsOptions_LoadCertificatesChain(options, files->cert, files->key);
	return status;
}

static natsStatus
set_options(natsOptions *options, const struct natsdial *dial, char problem[TRUST_PROBLEM_SIZE])
{
	if (!trust_may_use(dial->files, problem))
		return NATS_ERR;
	natsStatus status = natslib.natsOptions_SetURL(options, dial->url);
	if (status == NATS_OK)
		status = natslib.natsOptions_SetName(options, dial->name);
	if (status == NATS_OK)
		status = natslib.natsOptions_SetAllowReconnect(options, false);
	if (status == NATS_OK)
		status = natslib.natsOptions_SetTimeout(options, (int64_t)dial->timeout_ms);
	if (status == NATS_OK && dial->ping_ms > 0) {
		status = natslib.natsOptions_SetPingInterval(options, (int64_t)dial->ping_ms);
		if (status == NATS_OK)
			status = natslib.natsOptions_SetMaxPingsOut(options, PINGS);
	}
	if (status == NATS_OK && strncmp(dial->url, "tls:", 4) == 0)
		status = set_tls(options, dial);
	if (status == NATS_OK && dial->files->token != NULL)
		status = set_token(options, dial->files->token, problem);
	return status;
}

natsStatus
natsdial_connect(
	natsConnection **out, const struct natsdial *dial, char problem[TRUST_PROBLEM_SIZE])
{
	natsOptions *options = NULL;
	*problem = '\0';
	natsStatus status = natslib.natsOptions_Create(&options);
	if (status == NATS_OK)
		status = set_options(options, dial, problem);
	if (status == NATS_OK)
		status = natslib.natsConnection_Connect(out, options);
	natslib.natsOptions_Destroy(options);
	return status;
}

bool
natsdial_end(void)
{
	return natslib.nats_CloseAndWait == NULL ||
	       natslib.nats_CloseAndWait(END_MS) != NATS_TIMEOUT;
}
