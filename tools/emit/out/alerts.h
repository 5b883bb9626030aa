/* alerts - conditions as alerts, those with one cause as one, and alerts as the body for
 * Alertmanager's POST /api/v2/alerts. Pure.
 *
 * An alert is known by its labels. To post it again with a later end renews it; to post it with an
 * end that is past resolves it.
 * https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_ALERTS_H
#define EMIT_ALERTS_H

#include "../store/conditions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALERTS_PATH "/api/v2/alerts"
#define ALERTS_CONTENT_TYPE "application/json"

/* The label alertname of what has no code; of others it begins with ALERTS_PREFIX. */
#define ALERTS_NAME "NicHealth"
#define ALERTS_PREFIX "Nic"

/* Room for an alertname; a longer one is cut. */
#define ALERTS_NAME_SIZE 128

/* What a test event is called. */
#define ALERTS_TEST_CHECK "NicHealthMonitorTest"
#define ALERTS_TEST_CODE "test"
#define ALERTS_TEST_MESSAGE "Test event: somebody asks whether events arrive here"

/* Texts that are "" or NULL are left out: to Alertmanager an empty label is none. What is not UTF-8
 * in them becomes U+FFFD. */
struct alert {
	const char *node, *check, *device, *port, *code; /* labels, and what alertname is made of */
	bool fatal;                                      /* label severity: critical, or warning */
	/* Annotations: what conditions say that are this alert, the worst first, and what to do
	 * about it. */
	const char *const *messages;
	size_t message_count;
	const char *action;
	const char *runbook_url; /* the address of the pages, see runbook.h */
	/* When it began, nanoseconds since 1970, the same each time; Alertmanager would refuse one
	 * after its end, which is taken in its place. */
	uint64_t since_ns;
	/* When it is over if nothing more is said, or when it was over. */
	uint64_t ends_ns;
};

/* The alertname for what has these codes, `link_downed,saturated`: NicLinkDownedSaturated. Each
 * part is written as one word, a `nic` at the beginning once, and only letters and digits of ASCII
 * are kept. Returns `name`. */
char *alerts_name(const char *code, char name[ALERTS_NAME_SIZE]);

/* Alerts of one group at most: one of each severity. */
#define ALERTS_OF_ONE 2

/* Whether two conditions are one alert. */
bool alerts_are_one(const struct condition *a, const struct condition *b);

/* What a server has to hear about one group: some conditions that are all the same alert. As long
 * as one stands, so does the alert, with the worst severity there is. Resolved is that of a
 * severity that has ended, or that a worse one has taken the place of. `messages` has room for
 * twice `count` texts, which the alerts borrow. Returns the number of alerts. */
size_t alerts_of(const struct condition *parts, size_t count, uint64_t now_ns,
	const char **messages, struct alert alerts[ALERTS_OF_ONE]);

/* The body for some alerts, from malloc, NUL-terminated; `*length` without the NUL. NULL when
 * memory ran out. */
char *alerts_encode_new(const struct alert *alerts, size_t count, size_t *length);

#endif
