/* alerts - conditions as the body for Alertmanager's POST /api/v2/alerts. Pure.
 *
 * An alert is known by its labels. To post it again with a later end renews it; to post it with an end that is past resolves it.
 * https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml */
#ifndef EMIT_ALERTS_H
#define EMIT_ALERTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALERTS_PATH "/api/v2/alerts"
#define ALERTS_CONTENT_TYPE "application/json"

/* The label alertname of all of them. */
#define ALERTS_NAME "NicHealth"

/* A condition. Texts that are "" or NULL are left out: to Alertmanager an empty label is none. What is not UTF-8 in them becomes U+FFFD. */
struct alert {
	const char *node, *check, *device, *port, *code; /* labels */
	bool fatal;                                      /* label severity: critical, or warning */
	const char *message, *action;                    /* annotations */
	/* When it began, nanoseconds since 1970, the same each time; Alertmanager would refuse one after its end, which is taken in its place. */
	uint64_t since_ns;
	/* When it is over if nothing more is said, or when it was over. */
	uint64_t ends_ns;
};

/* The body for some alerts, from malloc, NUL-terminated; `*length` without the NUL. NULL when memory ran out. */
char *alerts_encode_new(const struct alert *alerts, size_t count, size_t *length);

#endif
