/* journalentry - formats an event as an entry of systemd's journal. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "journalentry.h"

#include "../in/facts.h"
#include "checks.h"
#include "rec.h"
#include "strbuf.h"
#include "utf8.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit of a field's value: messages of other agents may be of any length. */
#define FIELD_MAX_BYTES ((size_t)8 << 10)

/* Severity of an event as a word, and its syslog priority. */
struct rank {
	const char *word;
	char priority;
};

static struct rank
rank_of(const struct facts *facts)
{
	if (strcmp(facts->check, CHECKS_IDENTITY) == 0)
		return (struct rank){"changed", '6'};
	if (facts->healthy)
		return (struct rank){"healthy", '5'};
	/* Silenced events alert nobody. */
	if (*facts->silence != '\0')
		return (struct rank){"silenced", '5'};
	return facts->fatal ? (struct rank){"fatal", '2'} : (struct rank){"degraded", '4'};
}

/* A value with newlines is preceded by a newline and its length instead of "=". */
static void
add_bytes(struct strbuf *entry, const char *name, const char *value, size_t length)
{
	const uint64_t size = htole64(length);
	strbuf_add(entry, name, strlen(name));
	if (memchr(value, '\n', length) == NULL) {
		strbuf_add(entry, "=", 1);
	} else {
		strbuf_add(entry, "\n", 1);
		strbuf_add(entry, (const char *)&size, sizeof size);
	}
	strbuf_add(entry, value, length);
	strbuf_add(entry, "\n", 1);
}

/* Add a field unless the value is empty. */
static void
add(struct strbuf *entry, const char *name, const char *value)
{
	size_t length = strlen(value);
	if (length > FIELD_MAX_BYTES)
		length = utf8_cut(value, length, FIELD_MAX_BYTES);
	if (length > 0)
		add_bytes(entry, name, value, length);
}

static const char *
metadata_of(const json_t *event, const char *key)
{
	return rec_text(json_object_get(event, "metadata"), key);
}

char *
journalentry_new(const json_t *event, const char *line, size_t length, size_t *size)
{
	struct strbuf entry = {0};
	struct facts facts;
	struct facts_room room;
	facts_read(&facts, &room, event);
	const struct rank rank = rank_of(&facts);
	const char priority[] = {rank.priority, '\0'};
	add(&entry, "MESSAGE", *facts.message != '\0' ? facts.message : facts.check);
	add(&entry, "PRIORITY", priority);
	add(&entry, "SYSLOG_IDENTIFIER", "nic-health-monitor");
	add(&entry, "NIC_SEVERITY", rank.word);
	add(&entry, "NIC_EVENT", facts.id);
	add(&entry, "NIC_NODE", facts.node);
	add(&entry, "NIC_CHECK", facts.check);
	add(&entry, "NIC_CODE", facts.code);
	add(&entry, "NIC_DEVICE", facts.device);
	add(&entry, "NIC_PORT", facts.port);
	add(&entry, "NIC_PCI", metadata_of(event, "pci"));
	add(&entry, "NIC_ROLE", metadata_of(event, "role"));
	add(&entry, "NIC_ACTION", facts.action);
	add(&entry, "NIC_STRATEGY", facts.strategy);
	/* journalctl shows this field as a link. */
	add(&entry, "DOCUMENTATION", metadata_of(event, FACTS_RUNBOOK_KEY));
	if (entry.length + length + sizeof "NIC_RECORD=\n" <= JOURNALENTRY_MAX_BYTES)
		add_bytes(&entry, "NIC_RECORD", line, length);
	*size = entry.length;
	return strbuf_detach_new(&entry);
}
