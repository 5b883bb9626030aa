/* resolver - looks up a host name in the background. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "resolver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct resolver {
	struct gaicb request;
	struct gaicb *list[1];
	struct addrinfo hints;
	char *host, *service;
	struct resolver *next; /* in `abandoned` */
};

/* Lookups that could not be cancelled. */
static struct resolver *abandoned;

static void
destroy(struct resolver *resolver)
{
	if (resolver->request.ar_result != NULL)
		freeaddrinfo(resolver->request.ar_result);
	free(resolver->host);
	free(resolver->service);
	free(resolver);
}

/* Free the abandoned lookups that have ended. */
static void
tidy_up(void)
{
	struct resolver **at = &abandoned;
	while (*at != NULL) {
		struct resolver *resolver = *at;
		if (gai_error(&resolver->request) == EAI_INPROGRESS) {
			at = &resolver->next;
			continue;
		}
		*at = resolver->next;
		destroy(resolver);
	}
}

struct resolver *
resolver_new(const char *host, const char *service)
{
	struct resolver *resolver = calloc(1, sizeof *resolver);
	tidy_up();
	if (resolver == NULL)
		return NULL;
	resolver->host = strdup(host);
	resolver->service = strdup(service);
	resolver->hints = (struct addrinfo){
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV,
	};
	resolver->request = (struct gaicb){
		.ar_name = resolver->host,
		.ar_service = resolver->service,
		.ar_request = &resolver->hints,
	};
	resolver->list[0] = &resolver->request;
	if (resolver->host == NULL || resolver->service == NULL ||
		getaddrinfo_a(GAI_NOWAIT, resolver->list, 1, NULL) != 0) {
		destroy(resolver);
		return NULL;
	}
	return resolver;
}

int
resolver_poll(struct resolver *resolver, const struct addrinfo **addresses)
{
	int status = gai_error(&resolver->request);
	*addresses = resolver->request.ar_result;
	return status;
}

void
resolver_free(struct resolver *resolver)
{
	if (resolver == NULL)
		return;
	gai_cancel(&resolver->request);
	resolver->next = abandoned;
	abandoned = resolver;
	tidy_up();
}
