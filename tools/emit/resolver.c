/* resolver - a host name looked up in the background. */
#include "resolver.h"

#include <stdlib.h>
#include <sys/socket.h>

struct resolver {
	struct gaicb request;
	struct gaicb *list[1];
	struct addrinfo hints;
};

struct resolver *
resolver_new(const char *host, const char *service)
{
	struct resolver *resolver = calloc(1, sizeof *resolver);
	if (resolver == NULL)
		return NULL;
	resolver->hints = (struct addrinfo){
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV,
	};
	resolver->request = (struct gaicb){
		.ar_name = host,
		.ar_service = service,
		.ar_request = &resolver->hints,
	};
	resolver->list[0] = &resolver->request;
	if (getaddrinfo_a(GAI_NOWAIT, resolver->list, 1, NULL) != 0) {
		free(resolver);
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
	if (gai_cancel(&resolver->request) == EAI_NOTCANCELED) {
		const struct gaicb *const list[] = {&resolver->request};
		while (gai_error(&resolver->request) == EAI_INPROGRESS)
			gai_suspend(list, 1, NULL);
	}
	if (resolver->request.ar_result != NULL)
		freeaddrinfo(resolver->request.ar_result);
	free(resolver);
}
