/* alerts - groups conditions with one cause into one alert, and encodes alerts as the body of
 * Alertmanager's POST /api/v2/alerts. Pure.
 *
 * An alert is identified by its labels. Posting it again with a later end renews it; posting it
 * with an end in the past resolves it.
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

/* Label alertname of a condition without a code; others begin with ALERTS_PREFIX. */
#define ALERTS_NAME "NicHealth"
#define ALERTS_PREFIX "Nic"

/* Size of an alertname; longer ones are cut. */
#define ALERTS_NAME_SIZE 128

/* Texts of the test event. */
#define ALERTS_TEST_CHECK "NicHealthMonitorTest"
#define ALERTS_TEST_CODE "test"
#define ALERTS_TEST_MESSAGE "Test event to check delivery: nothing is wrong"

/* Strings that are "" or NULL are left out: Alertmanager treats an empty label as missing. Bytes
 * that are not UTF-8 become U+FFFD. */
struct alert {
	const char *node, *check, *device, *port, *code; /* labels, and the source of alertname */
	bool fatal;                                      /* label severity: critical or warning */
	/* Annotations: the messages of the alert's conditions, worst first, and the recommended
	 * action. */
	const char *const *messages;
	size_t message_count;
	const char *action;
	const char *runbook_url; /* base URL of the runbooks, see runbook.h */
	/* Begin, ns since 1970, constant over all renewals. If it is after the end, the end is sent
	 * instead: Alertmanager rejects it otherwise. */
	uint64_t since_ns;
	/* end unless renewed, or the past end */
	uint64_t ends_ns;
};

/* Build the alertname from codes such as `link_downed,saturated`: NicLinkDownedSaturated. Each part
 * becomes one word, a leading `nic_` is dropped, and only ASCII letters and digits are kept. Return
 * `name`. */
char *alerts_name(const char *code, char name[ALERTS_NAME_SIZE]);

/* Most alerts of one group: one per severity. */
#define ALERTS_OF_ONE 2

/* Return true if two conditions belong to the same alert. */
bool alerts_are_one(const struct condition *a, const struct condition *b);

/* Build what a server has to be told about one group, which is all conditions of one alert. The
 * alert stands while one condition stands, with the worst severity of those. The alert of a
 * severity that has ended, or was replaced by a worse one, is resolved. `messages` has room for 2 *
 * `count` strings, which the alerts borrow. Return the number of alerts. */
size_t alerts_of(const struct condition *parts, size_t count, uint64_t now_ns,
	const char **messages, struct alert alerts[ALERTS_OF_ONE]);

/* A list has at most so many bytes, unless it has only one alert: a proxy before an Alertmanager
 * may refuse requests of more than 1 MB. */
#define ALERTS_LIST_BYTES ((size_t)512 << 10)

/* Encode alerts as JSON lists, one after the other and each NUL-terminated, with an empty text
 * after the last one. From malloc; NULL if memory runs out. */
char *alerts_encode_new(const struct alert *alerts, size_t count);

#endif
