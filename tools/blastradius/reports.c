/* reports - classifies events about the links of ports. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "reports.h"

#include "array.h"
#include "commalist.h"
#include "errorcode.h"

#include <string.h>

static bool
ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);
	return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool
is_check(const struct sighting *event, const char *kind)
{
	const char *check = event->fields[SIGHTING_CHECK];
	return check != NULL && ends_with(check, kind);
}

bool
reports_is_derived(const struct sighting *event)
{
	const char *agent = event->fields[SIGHTING_AGENT];
	return agent != NULL && strcmp(agent, EVENT_ANALYZER) == 0;
}

static bool
is_about_link(const struct sighting *event)
{
	static const char *const codes[] = {CODE_PORT_STATE, CODE_PORT_BLIP, CODE_PORT_FLAP,
		CODE_LINK_FLAP, CODE_CARD_PORTS, "link_downed"};
	const char *code = sighting_code(event);
	for (size_t i = 0; code != NULL && i < ARRAY_COUNT(codes); i++)
		if (strcmp(code, codes[i]) == 0)
			return true;
	return false;
}

/* The code of a counter's event is the counter's name. */
static bool
is_about_counter(const struct sighting *event)
{
	const char *code = sighting_code(event);
	return code != NULL && !errorcode_is_taken(code);
}

/* A saturated counter: what it counted may be years old. */
static bool
is_saturated(const struct sighting *event)
{
	return event->code_count > 1 && strcmp(event->codes[1], CODE_SATURATED) == 0;
}

/* A fatal counter event belongs to the StateCheck (spec#counter-severity). */
static bool
is_trouble(const struct sighting *event)
{
	if (is_check(event, "DegradationCheck"))
		return !is_saturated(event);
	return is_check(event, "StateCheck") && (is_about_link(event) || is_about_counter(event));
}

bool
reports_trouble(const struct sighting *event)
{
	return !event->is_healthy && !sighting_is_repeated(event) && !reports_is_derived(event) &&
	       sighting_entity(event, "NIC") != NULL && sighting_entity(event, "NICPort") != NULL &&
	       is_trouble(event);
}

bool
reports_is_about(const struct sighting *event, const char *device, const char *number)
{
	const char *own = sighting_entity(event, "NIC");
	const char *own_number = sighting_entity(event, "NICPort");
	const char *devices = sighting_metadata(event, "devices");
	if (own_number == NULL)
		return is_check(event, "StateCheck") && devices != NULL &&
		       commalist_has(devices, device, strlen(device));
	return own != NULL && strcmp(own, device) == 0 && strcmp(own_number, number) == 0;
}

bool
reports_acts(const struct sighting *event)
{
	const char *action = event->fields[SIGHTING_ACTION];
	const char *strategy = event->fields[SIGHTING_STRATEGY];
	if (event->is_healthy || action == NULL || strcmp(action, "NONE") == 0 ||
		strcmp(action, "CONTACT_SUPPORT") == 0)
		return false;
	if (strategy != NULL && strcmp(strategy, event_strategies[EVENT_STORE_ONLY]) == 0)
		return false;
	return reports_is_derived(event) || is_check(event, "StateCheck") ||
	       is_check(event, "DegradationCheck");
}

bool
reports_link_only(const struct sighting *event)
{
	return reports_is_derived(event) || is_about_link(event);
}

/* A node clears each of its checks at a boot, also those that its ports do not belong to. */
bool
reports_up(const struct sighting *healthy, const struct port *port)
{
	const char *own = sighting_entity(healthy, "NIC");
	const char *own_number = sighting_entity(healthy, "NICPort");
	const char *code = sighting_code(healthy), *check = healthy->fields[SIGHTING_CHECK];
	bool is_its = *port->check == '\0' || (check != NULL && strcmp(check, port->check) == 0);
	return is_its && is_check(healthy, "StateCheck") &&
	       (code == NULL || strcmp(code, CODE_PORT_STATE) == 0) &&
	       (own == NULL || strcmp(own, port->device) == 0) &&
	       (own_number == NULL || strcmp(own_number, port->number) == 0);
}
