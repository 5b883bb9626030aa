/* httpclient - what the clients of http.h are made of. Only http.c and httpclient.c look in here.
 *
 * Each client has a multi handle of its own, and so its own pool of connections, which is one: what belongs to one server and one token is never used for
 * another. Its sockets are in an epoll set of its own, and that is in the set of all clients, which is what the caller polls. */
#ifndef EMIT_HTTPCLIENT_H
#define EMIT_HTTPCLIENT_H

#include "http.h"
#include "reply.h"

#include <curl/curl.h>

struct http {
	int epoll_fd;
	struct http_client *clients; /* a list */
};

struct http_client {
	struct http *http;
	struct http_client *next;
	const struct http_target *target;
	CURLM *multi;
	CURL *easy;
	int epoll_fd;
	uint64_t wakes_at_ns;
	bool busy;
	uint64_t deadline_ns; /* of the request */
	bool is_suspect;      /* the latest request failed, and its connection may be to blame */
	bool kept_only;       /* no connection is to be made for it ... */
	bool kept_missing;    /* ... but one would have to be */
	struct curl_slist *headers; /* of the request */
	struct http_reply reply;
	char words[CURL_ERROR_SIZE];       /* libcurl's own, about what went wrong */
	char problem[CURL_ERROR_SIZE * 2]; /* `reply.problem`, valid UTF-8 */
	struct reply answer;
};

/* Does what can be done now for one client. */
void http_client_pump(struct http_client *client);

#endif
