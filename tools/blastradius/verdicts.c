/* verdicts - formats suspected switches and held events as records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "verdicts.h"

#include "array.h"
#include "clock.h"
#include "hostlist.h"
#include "num.h"
#include "reports.h"
#include "text.h"
#include "utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer lists of nodes and ports are cut. */
#define LIST_SIZE 1024
#define MESSAGE_SIZE 512

/* Event ids listed as evidence, the newest. */
#define EVIDENCE_MAX 8

/* Metadata key in a released event: the id of the held event that it replaces. */
#define RELEASED "released"

#define ELLIPSIS "\xe2\x80\xa6"

const char *
verdicts_name(const struct place *place, const char *fabric)
{
	return *place->name != '\0' ? place->name : fabric;
}

/* --- lists --- */

/* Sort by device and number, then by node. */
static int
compare_ports(const void *a, const void *b)
{
	const struct port *const *first = a, *const *second = b;
	int order = strcmp((*first)->device, (*second)->device);
	if (order == 0)
		order = strcmp((*first)->number, (*second)->number);
	return order != 0 ? order : strcmp((*first)->node->name, (*second)->node->name);
}

static int
compare_nodes(const void *a, const void *b)
{
	const struct port *const *first = a, *const *second = b;
	return strcmp((*first)->node->name, (*second)->node->name);
}

/* End a list that is too long with an ellipsis. */
static void
end_list(struct strbuf *text)
{
	if (!text->is_short)
		return;
	size_t length = utf8_cut(text->bytes, text->length, text->size - sizeof ELLIPSIS);
	strcpy(text->bytes + length, ELLIPSIS);
}

/* Buffer for one name per port; is_short: memory ran out. */
struct roll {
	const char **names;
	bool is_short;
};

/* Append the nodes of the ports, each once. Return how many. */
static size_t
put_nodes(struct strbuf *text, struct port **ports, size_t count, struct roll *roll)
{
	size_t nodes = 0;
	qsort(ports, count, sizeof(struct port *), compare_nodes);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || ports[i]->node != ports[i - 1]->node)
			roll->names[nodes++] = ports[i]->node->name;
	roll->is_short |= !hostlist_compress(roll->names, nodes, text);
	return nodes;
}

/* Append `mlx5_0/1 on node[1-4]; mlx5_1/1 on node[1-4]`. */
static void
put_ports(struct strbuf *text, struct port **ports, size_t count, struct roll *roll)
{
	qsort(ports, count, sizeof(struct port *), compare_ports);
	for (size_t i = 0; i < count;) {
		size_t last = i;
		while (last + 1 < count && strcmp(ports[last + 1]->device, ports[i]->device) == 0 &&
			strcmp(ports[last + 1]->number, ports[i]->number) == 0)
			last++;
		strbuf_addf(
			text, "%s%s/%s on ", i > 0 ? "; " : "", ports[i]->device, ports[i]->number);
		put_nodes(text, ports + i, last + 1 - i, roll);
		i = last + 1;
	}
}

static void
put_evidence(struct strbuf *text, struct port **ports, size_t count)
{
	qsort(ports, count, sizeof(struct port *), fleet_compare_latest);
	for (size_t i = count > EVIDENCE_MAX ? count - EVIDENCE_MAX : 0; i < count; i++)
		if (*ports[i]->last_id != '\0')
			strbuf_addf(text, "%s%s", text->length > 0 ? "," : "", ports[i]->last_id);
}

/* --- suspected places --- */

static void
say(struct strbuf *text, const struct suspects *suspects, const struct suspects_report *report,
	size_t nodes)
{
	const struct place *place = report->place;
	const bool is_switch = *place->name != '\0';
	const char *where = is_switch ? " on switch " : " of the fabric";
	if (report->news == SUSPECTS_OVER)
		strbuf_addf(text, "ended: only %zu node%s%s%s %s a port that is down", place->down,
			place->down == 1 ? "" : "s", where, place->name,
			place->down == 1 ? "has" : "have");
	else
		strbuf_addf(text,
			"%zu of %zu nodes%s%s have trouble with their links, all within %" PRIu64
			" s: suspect the %s, not the NICs",
			nodes, place->seen_then, where, place->name,
			suspects->limits.within_us / 1000000, is_switch ? "switch" : "fabric");
}

json_t *
verdicts_new(struct event_stream *stream, const struct suspects *suspects,
	const struct suspects_report *report)
{
	const struct place *place = report->place;
	const bool is_over = report->news == SUSPECTS_OVER;
	char message[MESSAGE_SIZE], stamp[CLOCK_STAMP_SIZE];
	char nodes[LIST_SIZE], ports[LIST_SIZE], ids[LIST_SIZE], count[32];
	struct strbuf text, node_list, port_list, evidence;
	size_t most = is_over ? 0 : place->suspect_count;
	struct roll roll = {.names = calloc(most + 1, sizeof *roll.names)};

	if (roll.names == NULL)
		return NULL;
	strbuf_init(&text, message, sizeof message);
	strbuf_init(&node_list, nodes, sizeof nodes);
	strbuf_init(&port_list, ports, sizeof ports);
	strbuf_init(&evidence, ids, sizeof ids);
	put_ports(&port_list, place->suspects, most, &roll);
	put_evidence(&evidence, place->suspects, most);
	say(&text, suspects, report, put_nodes(&node_list, place->suspects, most, &roll));
	free(roll.names);
	if (roll.is_short) {
		errno = ENOMEM;
		return NULL;
	}
	end_list(&node_list);
	end_list(&port_list);
	snprintf(count, sizeof count, "%zu", most);
	clock_format(report->at_us * NUM_NS_PER_US, stamp);
	static const char *const codes[] = {"fabric_suspect"};
	const struct event_pair entities[] = {{"Switch", place->name}};
	const struct event_pair metadata[] = {
		{"nodes", nodes}, {"portCount", count}, {"evidence", ids}, {"ports", ports}};
	const struct event event = {
		.agent = EVENT_ANALYZER,
		.check = REPORTS_SUSPECT,
		.healthy = is_over,
		.message = message,
		.message_length = strlen(message),
		.codes = codes,
		.code_count = 1,
		.entities = entities,
		.entity_count = *place->name != '\0',
		.metadata = metadata,
		.metadata_count = is_over ? 0 : ARRAY_COUNT(metadata),
		.timestamp = stamp,
	};
	return event_new(stream, &event);
}

/* --- held events --- */

json_t *
verdicts_release_new(struct event_stream *stream, const struct suspects_report *report)
{
	const struct sighting *held = report->event;
	const char *message = text_or_empty(held->fields[SIGHTING_MESSAGE]);
	char stamp[CLOCK_STAMP_SIZE];
	struct event_pair *metadata = calloc(held->metadata_count + 1, sizeof *metadata);
	if (metadata == NULL)
		return NULL;
	size_t count = 0;
	metadata[count++] = (struct event_pair){RELEASED, held->fields[SIGHTING_ID]};
	for (size_t i = 0; i < held->metadata_count; i++)
		if (strcmp(held->metadata[i].name, RELEASED) != 0)
			metadata[count++] = held->metadata[i];
	clock_format(report->at_us * NUM_NS_PER_US, stamp);
	const struct event event = {
		.agent = held->fields[SIGHTING_AGENT],
		.check = held->fields[SIGHTING_CHECK],
		.fatal = held->is_fatal,
		.action = held->fields[SIGHTING_ACTION],
		.message = message,
		.message_length = strlen(message),
		.codes = held->codes,
		.code_count = held->code_count,
		.entities = held->entities,
		.entity_count = held->entity_count,
		.metadata = metadata,
		.metadata_count = count,
		.timestamp = stamp,
		.strategy = held->fields[SIGHTING_STRATEGY],
	};
	json_t *record = event_new(stream, &event);
	free(metadata);
	return record;
}

/* Cut the message by `by` bytes, so that the record fits the limit of an event. */
static int
shorten(json_t *record, size_t by)
{
	const char *message = json_string_value(json_object_get(record, "message"));
	struct strbuf text = {0};
	size_t length = message != NULL ? strlen(message) : 0;
	by += sizeof ELLIPSIS;
	if (length < by)
		return 0;
	strbuf_add(&text, message, utf8_cut(message, length, length - by));
	strbuf_addf(&text, ELLIPSIS);
	int status = text.is_short
			     ? -1
			     : json_object_set_new(record, "message", json_string(text.bytes));
	strbuf_fini(&text);
	return status;
}

/* Mark the record as held, so that nobody acts on it. Return 0, or -1 when memory ran out. */
static int
mark_held(json_t *record, const struct place *place)
{
	const char *strategy = event_strategies[EVENT_STORE_ONLY];
	json_t *metadata = json_object_get(record, "metadata");
	if (!json_is_object(metadata)) {
		metadata = json_object();
		if (json_object_set_new(record, "metadata", metadata) < 0)
			return -1;
	}
	if (json_object_set_new(metadata, "heldBy", json_string(place->id)) < 0)
		return -1;
	return json_object_set_new(record, "processingStrategy", json_string(strategy));
}

char *
verdicts_hold_new(const struct line *line, const struct place *place, size_t *length)
{
	struct rec_error error;
	json_t *record = rec_parse_new(line->text, line->length - 1, &error);
	char *text = NULL;
	if (record != NULL && mark_held(record, place) == 0)
		text = rec_dump_new(record, length);
	if (text != NULL && *length > REC_EVENT_MAX_BYTES && line->length <= REC_EVENT_MAX_BYTES) {
		size_t over = *length - REC_EVENT_MAX_BYTES;
		free(text);
		text = shorten(record, over) == 0 ? rec_dump_new(record, length) : NULL;
	}
	json_decref(record);
	return text;
}
