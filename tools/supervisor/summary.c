/* summary - what one look at a node comes to. */
#include "summary.h"

#include "array.h"
#include "portfacts.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest line about one thing; an event's message is shorter than an event. */
#define TEXT_MAX_BYTES REC_EVENT_MAX_BYTES

/* A JSON string of what may be no valid UTF-8, such as a name from the command line, or a text that was cut. */
static json_t *
string_new(const char *text)
{
	char safe[TEXT_MAX_BYTES];
	utf8_sanitize(text, strlen(text), safe, sizeof safe);
	return json_string(safe);
}

void
summary_init(struct summary *summary, const char *node)
{
	*summary = (struct summary){
		.compared = json_object(),
		.node = string_new(node),
		.boot_id = json_null(),
		.ts = json_null(),
	};
	summary->failed = summary->compared == NULL || summary->node == NULL;
}

static void
finding_fini(struct finding *finding)
{
	json_decref(finding->event);
	json_decref(finding->text);
	free(finding->device);
}

void
summary_fini(struct summary *summary)
{
	for (size_t i = 0; i < summary->count; i++)
		finding_fini(&summary->findings[i]);
	free(summary->findings);
	json_decref(summary->compared);
	json_decref(summary->node);
	json_decref(summary->boot_id);
	json_decref(summary->ts);
	*summary = (struct summary){0};
}

/* Takes the finding over. */
static void
add(struct summary *summary, struct finding *finding)
{
	struct finding *findings = array_grown(
		summary->findings, summary->count, &summary->capacity, sizeof *findings);
	if (findings != NULL)
		summary->findings = findings;
	if (findings == NULL || finding->text == NULL) {
		summary->failed = true;
		finding_fini(finding);
		return;
	}
	summary->counts[finding->level]++;
	summary->findings[summary->count++] = *finding;
}

static void
remove_at(struct summary *summary, size_t index)
{
	struct finding *finding = &summary->findings[index];
	summary->counts[finding->level]--;
	finding_fini(finding);
	summary->count--;
	memmove(finding, finding + 1, (summary->count - index) * sizeof *finding);
}

static void
say_about(struct summary *summary, enum finding_level level, const char *device, int64_t port,
	const char *text)
{
	struct finding finding = {
		.level = level,
		.text = string_new(text),
		.device = device != NULL ? strdup(device) : NULL,
		.port = port,
	};
	summary->failed |= device != NULL && finding.device == NULL;
	add(summary, &finding);
}

void
summary_say(struct summary *summary, enum finding_level level, const char *format, ...)
{
	char text[TEXT_MAX_BYTES];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	say_about(summary, level, NULL, 0, text);
}

/* --- events --- */

static const char *
entity(const json_t *event, const char *type)
{
	size_t index;
	json_t *item;
	json_array_foreach (json_object_get(event, "entitiesImpacted"), index, item) {
		const char *name = NULL, *value = NULL;
		rec_get_string(item, "entityType", &name);
		rec_get_string(item, "entityValue", &value);
		if (name != NULL && strcmp(name, type) == 0)
			return value;
	}
	return NULL;
}

/* A fault and its end name the same check, entities and error codes. */
static bool
are_about_the_same(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"checkName", "entitiesImpacted", "errorCode"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
			return false;
	}
	return true;
}

static bool
has_code(const json_t *event, size_t index, const char *word)
{
	const char *code =
		json_string_value(json_array_get(json_object_get(event, "errorCode"), index));
	return code != NULL && strcmp(code, word) == 0;
}

static enum finding_level
level_of(const json_t *event)
{
	bool fatal = false;
	rec_get_bool(event, "isFatal", &fatal);
	if (fatal)
		return FINDING_FATAL;
	/* What it counted, it counted before anybody looked. */
	return has_code(event, 1, "saturated") ? FINDING_NOTE : FINDING_DEGRADED;
}

void
summary_event(struct summary *summary, json_t *event)
{
	bool healthy = false;
	rec_get_bool(event, "isHealthy", &healthy);
	for (size_t i = 0; i < summary->count; i++) {
		const json_t *earlier = summary->findings[i].event;
		if (earlier != NULL && are_about_the_same(earlier, event)) {
			remove_at(summary, i);
			break;
		}
	}
	/* That a device cannot be read is known from the last scan, and says that nothing is known, not that something is wrong. */
	if (healthy || has_code(event, 0, "unreadable"))
		return;

	const char *message = "", *device = entity(event, "NIC"), *port = entity(event, "NICPort");
	rec_get_string(event, "message", &message);
	struct finding finding = {
		.level = level_of(event),
		.event = json_incref(event),
		.text = json_string(message),
		.device = device != NULL ? strdup(device) : NULL,
		.port = port != NULL ? strtoll(port, NULL, 10) : 0,
	};
	add(summary, &finding);
}

/* A card that has both kinds of ports is two cards to ctreval. Returns `key`. */
static const char *
compared_key(char *key, size_t size, const char *device, bool ethernet)
{
	snprintf(key, size, "%s %s", ethernet ? "Ethernet" : "InfiniBand", device);
	return key;
}

void
summary_decision(struct summary *summary, const json_t *decision)
{
	const char *about = NULL, *device = NULL, *link_layer = NULL;
	int64_t active, mode;
	char key[TEXT_MAX_BYTES];

	rec_get_string(decision, "about", &about);
	rec_get_string(decision, "device", &device);
	rec_get_string(decision, "link_layer", &link_layer);
	/* Without a mode it was not compared. */
	if (about == NULL || strcmp(about, "card") != 0 || device == NULL || link_layer == NULL ||
		rec_get_int(decision, "active", &active) != REC_OK ||
		rec_get_int(decision, "mode", &mode) != REC_OK)
		return;
	compared_key(key, sizeof key, device, strcmp(link_layer, "Ethernet") == 0);
	summary->failed |=
		json_object_set_new(summary->compared, key, json_boolean(active >= mode)) < 0;
}

/* --- the scan --- */

/* True when `name` is one of the names in `list`, which commas separate. */
static bool
is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = list; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
			return true;
	}
	return false;
}

/* True when an event says that the port is not up, or its device or card not well: such events have no error code. */
static bool
is_explained(const struct summary *summary, const struct scanrec_port *port)
{
	for (size_t i = 0; i < summary->count; i++) {
		const struct finding *finding = &summary->findings[i];
		const char *devices = NULL;
		if (json_array_size(json_object_get(finding->event, "errorCode")) > 0)
			continue;
		rec_get_string(json_object_get(finding->event, "metadata"), "devices", &devices);
		if (devices != NULL && is_listed(devices, port->device))
			return true;
		if (finding->device != NULL && strcmp(finding->device, port->device) == 0 &&
			(finding->port == 0 || finding->port == port->port))
			return true;
	}
	return false;
}

static const char *
or_unknown(const char *text)
{
	return text != NULL ? text : "not known";
}

struct opinion {
	enum finding_level level;
	const char *reason;
};

/* Of a port that is not up, and about which there is no event. Whoever would run a job on a compute NIC must know; NICs for
 * storage are often not cabled. */
static struct opinion
judge_unexplained(const struct summary *summary, const struct scanrec_port *port)
{
	char key[TEXT_MAX_BYTES];
	bool storage = port->role != NULL && strcmp(port->role, "storage") == 0;

	if (port->state == NULL || port->phys_state == NULL)
		return (struct opinion){FINDING_UNKNOWN, "whether it is up cannot be told"};
	const json_t *as_many = json_object_get(summary->compared,
		compared_key(key, sizeof key, port->device, portfacts_is_ethernet(port)));
	/* It went down a moment ago: ctreval gives it time, but nobody knows that it will come up again. */
	if (json_is_false(as_many))
		return (struct opinion){FINDING_UNKNOWN,
			"more ports of its peers are up, though not for long enough to be an event"};
	if (json_is_true(as_many))
		return (struct opinion){FINDING_NOTE, "so are the same ports of its peers"};
	return (struct opinion){storage ? FINDING_NOTE : FINDING_UNKNOWN,
		"there are no peers that would say whether it should be up"};
}

static void
say_unexplained(struct summary *summary, const struct scanrec_port *port)
{
	char text[TEXT_MAX_BYTES];
	struct opinion opinion = judge_unexplained(summary, port);

	snprintf(text, sizeof text, "%sort %s port %" PRId64 "%s%s%s: state %s, phys_state %s: %s",
		portfacts_is_ethernet(port) ? "RoCE p" : "P", port->device, port->port,
		port->role != NULL ? " (" : "", port->role != NULL ? port->role : "",
		port->role != NULL ? ")" : "", or_unknown(port->state),
		or_unknown(port->phys_state), opinion.reason);
	say_about(summary, opinion.level, port->device, port->port, text);
}

static void
take_port(struct summary *summary, const struct scan *scan, const struct scan_port *item)
{
	const struct scanrec_port *port = &item->record;
	if (!port->monitored || item->device == SIZE_MAX || scan->devices[item->device].record.vf)
		return;
	summary->watched_ports++;
	if (portfacts_is_up(port))
		summary->up_ports++;
	else if (!is_explained(summary, port))
		say_unexplained(summary, port);

	enum portfacts_gids gids = portfacts_gids(port);
	if (gids != PORTFACTS_GIDS_NONE && gids != PORTFACTS_GIDS_NO_IPV4)
		return;
	char text[TEXT_MAX_BYTES];
	snprintf(text, sizeof text, "RoCE port %s port %" PRId64 ": %s", port->device, port->port,
		portfacts_gids_reason(gids));
	say_about(summary, FINDING_NOTE, port->device, port->port, text);
}

static bool
has_reason(const struct scanrec_device *device, const char *reason)
{
	return device->reason != NULL && strcmp(device->reason, reason) == 0;
}

static void
take_device(struct summary *summary, const struct scanrec_device *device)
{
	char text[TEXT_MAX_BYTES];
	if (has_reason(device, "no_metadata"))
		summary->roles = false;
	/* One of which nothing at all could be read may be anybody's, ours too. */
	bool may_be_ours = has_reason(device, "vendor") && device->error != NULL &&
			   device->driver == NULL && device->vendor == NULL;
	if (device->vf || (!device->monitored && !may_be_ours))
		return;
	if (device->error != NULL)
		snprintf(text, sizeof text, "NIC %s cannot be read (%s)", device->device,
			device->error);
	else if (device->ports == 0)
		snprintf(text, sizeof text, "NIC %s has no ports", device->device);
	else
		return;
	say_about(summary, FINDING_UNKNOWN, device->device, 0, text);
}

/* NICs that the GPU metadata knows of and the node does not have: they were lost before anybody was watching, or it is old. */
static void
take_begin(struct summary *summary, const json_t *begin)
{
	const json_t *absent = json_object_get(json_object_get(begin, "topology"), "absent");
	for (size_t i = 0; i < json_array_size(absent); i++) {
		const char *name = json_string_value(json_array_get(absent, i));
		summary_say(summary, FINDING_UNKNOWN,
			"NIC %s is in the GPU metadata, but not on this node",
			name != NULL ? name : "?");
	}
}

static void
take_end(struct summary *summary, const struct scanrec_end *end)
{
	for (size_t i = 0; i < json_array_size(end->unbound); i++) {
		const char *pci = json_string_value(json_array_get(end->unbound, i));
		summary_say(summary, FINDING_NOTE, "NIC %s has no driver", pci != NULL ? pci : "?");
	}
	if (end->error != NULL)
		summary_say(summary, FINDING_UNKNOWN, "no RDMA devices: class/infiniband: %s",
			end->error);
	else if (summary->watched_ports == 0 && summary->counts[FINDING_UNKNOWN] == 0)
		summary_say(summary, FINDING_UNKNOWN, "no port is watched (%zu NIC%s)",
			summary->devices, summary->devices == 1 ? "" : "s");
}

/* Takes a string of a record, if it has it. */
static void
take_string(json_t **to, const json_t *record, const char *key)
{
	json_t *value = json_object_get(record, key);
	if (!json_is_string(value))
		return;
	json_decref(*to);
	*to = json_incref(value);
}

void
summary_scan(struct summary *summary, const struct scan *scan)
{
	if (scan->begin_json == NULL || scan->end_json == NULL) {
		summary_say(summary, FINDING_UNKNOWN, "there is no scan to judge");
		return;
	}
	take_string(&summary->node, scan->begin_json, "node");
	take_string(&summary->boot_id, scan->begin_json, "boot_id");
	take_string(&summary->ts, scan->begin_json, "ts");
	summary->roles = true;
	summary->devices = scan->device_count;
	for (size_t i = 0; i < scan->device_count; i++)
		take_device(summary, &scan->devices[i].record);
	for (size_t i = 0; i < scan->port_count; i++)
		take_port(summary, scan, &scan->ports[i]);
	if (scan->listed)
		take_begin(summary, scan->begin_json);
	take_end(summary, &scan->end);
	if (!scan->whole)
		summary_say(summary, FINDING_UNKNOWN, "records were lost");
}

/* --- the verdict --- */

static bool
comes_before(const struct finding *a, const struct finding *b)
{
	if (a->level != b->level)
		return a->level < b->level;
	return a->port != 0 && b->port == 0;
}

void
summary_sort(struct summary *summary)
{
	/* Stable, and there are few of them. */
	for (size_t i = 1; i < summary->count; i++) {
		struct finding finding = summary->findings[i];
		size_t at = i;
		for (; at > 0 && comes_before(&finding, &summary->findings[at - 1]); at--)
			summary->findings[at] = summary->findings[at - 1];
		summary->findings[at] = finding;
	}
}

enum finding_level
summary_verdict(const struct summary *summary)
{
	for (int level = 0; level < FINDING_NOTE; level++) {
		if (summary->counts[level] > 0)
			return (enum finding_level)level;
	}
	return FINDING_NOTE;
}

int
summary_exit_code(const struct summary *summary)
{
	switch (summary_verdict(summary)) {
	case FINDING_FATAL:
		return 1;
	case FINDING_DEGRADED:
		return 2;
	case FINDING_UNKNOWN:
		return 3;
	case FINDING_NOTE:
	case FINDING_LEVEL_N:
		break;
	}
	return 0;
}
