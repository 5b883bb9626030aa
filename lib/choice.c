/* choice - selects the events of a sink. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include "array.h"
#include "checks.h"
#include "commalist.h"
#include "rec.h"
#include "words.h"

#include <string.h>

const char *const choice_severities[CHOICE_SEVERITY_N] = {
	[CHOICE_ALL] = "all",
	[CHOICE_DEGRADED] = "degraded",
	[CHOICE_FATAL] = "fatal",
};

const char *
choice_check_codes(const char *list)
{
	const char *code;
	size_t length;
	return commalist_next(&list, &code, &length) ? NULL : "a list is missing";
}

/* The roles that topoclass assigns. */
static const char *const roles[] = {"compute", "storage", "management", "fabric"};

#define ROLES ARRAY_COUNT(roles)

static const char *
check_role(const char *role, size_t length)
{
	static struct words near;
	words_begin(&near, role, length);
	for (size_t i = 0; i < ROLES; i++) {
		if (words_equal(roles[i], role, length))
			return NULL;
		words_offer(&near, roles[i]);
	}
	return words_unknown(&near, "role");
}

const char *
choice_check_roles(const char *list)
{
	const char *reason = choice_check_codes(list), *role;
	size_t length;
	while (reason == NULL && commalist_next(&list, &role, &length))
		reason = check_role(role, length);
	return reason;
}

bool
choice_is_narrow(const struct choice *choice)
{
	return choice->severity != CHOICE_ALL || choice->codes != NULL || choice->roles != NULL;
}

static bool
is_severe(const struct choice *choice, const json_t *event)
{
	bool is_fatal = false, is_healthy = false;
	if (choice->severity == CHOICE_ALL)
		return true;
	rec_get_bool(event, "isFatal", &is_fatal);
	rec_get_bool(event, "isHealthy", &is_healthy);
	if (strcmp(rec_text(event, "checkName"), CHECKS_IDENTITY) == 0)
		return false;
	return is_healthy || is_fatal || choice->severity == CHOICE_DEGRADED;
}

static bool
has_code(const struct choice *choice, const json_t *event)
{
	const json_t *codes = json_object_get(event, "errorCode"), *code;
	size_t i;
	if (choice->codes == NULL || json_array_size(codes) == 0)
		return true;
	json_array_foreach (codes, i, code) {
		const char *text = json_string_value(code);
		if (text != NULL && commalist_has(choice->codes, text, strlen(text)))
			return true;
	}
	return false;
}

static bool
has_role(const struct choice *choice, const json_t *event)
{
	const char *role = rec_text(json_object_get(event, "metadata"), "role");
	return choice->roles == NULL || *role == '\0' ||
	       commalist_has(choice->roles, role, strlen(role));
}

bool
choice_wants(const struct choice *choice, const json_t *event)
{
	return is_severe(choice, event) && has_code(choice, event) && has_role(choice, event);
}

bool
choice_wants_condition(const struct choice *choice, bool fatal, const char *codes)
{
	const char *code;
	size_t length;
	bool has_any = false;
	if (choice->severity == CHOICE_FATAL && !fatal)
		return false;
	while (choice->codes != NULL && commalist_next(&codes, &code, &length)) {
		has_any = true;
		if (commalist_has(choice->codes, code, length))
			return true;
	}
	return !has_any;
}
