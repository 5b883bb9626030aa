/* http - all clients together: what to wait for, and who is to go on. */
#include "httpclient.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct http *
http_new(void)
{
	struct http *http = calloc(1, sizeof *http);
	if (http == NULL)
		return NULL;
	http->epoll_fd = -1;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
		free(http);
		return NULL;
	}
	/* A name server that does not answer must hold up nobody. */
	const int needed = CURL_VERSION_ASYNCHDNS | CURL_VERSION_HTTP2 | CURL_VERSION_SSL |
			   CURL_VERSION_UNIX_SOCKETS;
	if ((curl_version_info(CURLVERSION_NOW)->features & needed) == needed)
		http->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (http->epoll_fd < 0) {
		http_free(http);
		return NULL;
	}
	return http;
}

void
http_free(struct http *http)
{
	if (http == NULL)
		return;
	if (http->epoll_fd >= 0)
		close(http->epoll_fd);
	free(http);
	curl_global_cleanup();
}

int
http_fd(const struct http *http)
{
	return http->epoll_fd;
}

uint64_t
http_wakes_at_ns(const struct http *http)
{
	uint64_t at_ns = UINT64_MAX;
	for (const struct http_client *client = http->clients; client != NULL;
		client = client->next)
		if (client->wakes_at_ns < at_ns)
			at_ns = client->wakes_at_ns;
	return at_ns;
}

void
http_pump(struct http *http)
{
	for (struct http_client *client = http->clients; client != NULL; client = client->next)
		http_client_pump(client);
}
