/* choice - which events a sink is to get, and whether what is written of that will do. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CHOICE_H
#define NHM_CHOICE_H

#include <jansson.h>
#include <stdbool.h>

enum choice_severity {
	CHOICE_ALL,      /* all there is, also what devices have become */
	CHOICE_DEGRADED, /* faults, and their ends */
	CHOICE_FATAL,    /* faults that are fatal; and the ends of all, which do no harm */
	CHOICE_SEVERITY_N,
};

extern const char *const choice_severities[CHOICE_SEVERITY_N];

/* Whether a list of codes, or of roles, will do: NULL, or why not, which is valid until the next
 * call. A code may be anything, a role is one that a NIC can have. */
const char *choice_check_codes(const char *list);
const char *choice_check_roles(const char *list);

/* Why roles cannot be chosen where alerts go, after what the setting is called. */
#define CHOICE_NOT_OF_ALERTS "is not for alertmanager: an alert has no role"

/* All zeros: all events. */
struct choice {
	enum choice_severity severity;
	/* Lists with commas, borrowed; NULL: all. */
	const char *codes, *roles;
};

/* False when all events are wanted, so that nobody needs to look. */
bool choice_is_narrow(const struct choice *choice);

/* Whether an event is wanted. One without a code, or without a role, is not left out for that: it
 * may be about everything, or come from where roles are not known. */
bool choice_wants(const struct choice *choice, const json_t *event);

/* The same of a condition, whose codes are a list with commas, "": none. It has no role. */
bool choice_wants_condition(const struct choice *choice, bool fatal, const char *codes);

#endif
