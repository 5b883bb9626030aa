/* choice - selects the events of a sink, and validates that selection. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CHOICE_H
#define NHM_CHOICE_H

#include <jansson.h>
#include <stdbool.h>

enum choice_severity {
	CHOICE_ALL,      /* all events, also changes of a device's identity */
	CHOICE_DEGRADED, /* faults, and healthy events */
	CHOICE_FATAL,    /* fatal faults, and all healthy events, which do no harm */
	CHOICE_SEVERITY_N,
};

extern const char *const choice_severities[CHOICE_SEVERITY_N];

/* Validate a list of codes or roles. Return NULL, or the reason to reject it, valid until the next
 * call. Any code is accepted; a role must be one that topoclass assigns. */
const char *choice_check_codes(const char *list);
const char *choice_check_roles(const char *list);

/* Message for roles given for alertmanager; follows the setting's name. */
#define CHOICE_NOT_OF_ALERTS "is not for alertmanager: an alert has no role"

/* All zeros: all events. */
struct choice {
	enum choice_severity severity;
	/* comma-separated lists, borrowed; NULL: all */
	const char *codes, *roles;
};

/* Return false if all events are selected, so that callers can skip choice_wants(). */
bool choice_is_narrow(const struct choice *choice);

/* Return whether an event is selected. An event without a code or without a role passes that
 * filter: it may be about everything, or its source does not know roles. */
bool choice_wants(const struct choice *choice, const json_t *event);

/* The same for a condition. `codes` is a comma-separated list, "" for none. A condition has no
 * role. */
bool choice_wants_condition(const struct choice *choice, bool fatal, const char *codes);

#endif
