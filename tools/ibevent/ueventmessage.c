/* ueventmessage - parses the kernel's uevents about RDMA devices and PCI functions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "ueventmessage.h"

#include "array.h"
#include "pcifn.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* Values of the relevant keys, NUL-terminated in the message; NULL: missing. */
struct values {
	const char *action, *devpath, *subsystem, *pci_class, *pci_slot, *error_event;
};

static void
note_value(struct values *values, const char *line)
{
	const struct {
		const char *key;
		const char **value;
	} keys[] = {
		{"ACTION=", &values->action},
		{"DEVPATH=", &values->devpath},
		{"SUBSYSTEM=", &values->subsystem},
		{"PCI_CLASS=", &values->pci_class},
		{"PCI_SLOT_NAME=", &values->pci_slot},
		{"ERROR_EVENT=", &values->error_event},
	};
	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		size_t length = strlen(keys[i].key);
		if (strncmp(line, keys[i].key, length) == 0)
			*keys[i].value = line + length;
	}
}

/* Return the last component of the path if the one before it is `parent`, else NULL. */
static const char *
name_below(const char *devpath, const char *parent)
{
	const char *name = strrchr(devpath, '/');
	size_t length = strlen(parent);
	if (name == NULL || (size_t)(name - devpath) < length + 1)
		return NULL;
	const char *before = name - length;
	bool is_below = before[-1] == '/' && strncmp(before, parent, length) == 0;
	return is_below ? name + 1 : NULL;
}

static void
parse_device(const struct values *values, struct ueventmessage *message)
{
	static const char *const events[][2] = {
		{"add", "DEVICE_ADDED"}, {"remove", "DEVICE_REMOVED"}, {"move", "DEVICE_RENAMED"}};
	const char *name = name_below(values->devpath, "infiniband");
	if (name == NULL || !notice_copy(message->name, sizeof message->name, name, strlen(name)))
		return;
	for (size_t i = 0; i < ARRAY_COUNT(events); i++)
		if (text_equals(values->action, events[i][0]))
			message->event = events[i][1];
	if (message->event != NULL)
		message->about = UEVENTMESSAGE_DEVICE;
}

static void
parse_verbs(const struct values *values, struct ueventmessage *message)
{
	const char *name = name_below(values->devpath, "infiniband_verbs");
	if (name == NULL || !notice_copy(message->name, sizeof message->name, name, strlen(name)))
		return;
	message->is_added = text_equals(values->action, "add");
	message->is_removed = text_equals(values->action, "remove");
	if (message->is_added || message->is_removed)
		message->about = UEVENTMESSAGE_VERBS;
}

/* `digits` is the PCI class in hexadecimal without 0x. */
static bool
is_network(const char *digits)
{
	char class[sizeof "0x000000"];
	int length = snprintf(class, sizeof class, "0x%s", digits);
	return length > 0 && (size_t)length < sizeof class && pcifn_is_network(class);
}

static void
parse_pci(const struct values *values, struct ueventmessage *message)
{
	static const struct {
		const char *error_event, *event;
		bool fabric_error;
	} events[] = {
		{"BEGIN_RECOVERY", "PCI_BEGIN_RECOVERY", false},
		{"SUCCESSFUL_RECOVERY", "PCI_SUCCESSFUL_RECOVERY", false},
		{"FAILED_RECOVERY", "PCI_FAILED_RECOVERY", true},
	};
	const char *slot = values->pci_slot;
	if (slot == NULL || values->pci_class == NULL || !is_network(values->pci_class) ||
		!notice_copy(message->name, NOTICE_PCI_SIZE, slot, strlen(slot)))
		return;
	for (size_t i = 0; i < ARRAY_COUNT(events); i++) {
		if (!text_equals(values->error_event, events[i].error_event))
			continue;
		message->about = UEVENTMESSAGE_PCI;
		message->event = events[i].event;
		message->fabric_error = events[i].fabric_error;
	}
}

void
ueventmessage_parse(const char *bytes, size_t length, struct ueventmessage *message)
{
	struct values values = {0};
	*message = (struct ueventmessage){.about = UEVENTMESSAGE_OTHER};
	/* The first line repeats values that follow. Ignore a message whose last line has no NUL:
	 * it was cut short. */
	for (size_t at = 0; at < length;) {
		size_t used = strnlen(bytes + at, length - at);
		if (used == length - at)
			return;
		note_value(&values, bytes + at);
		at += used + 1;
	}
	if (values.devpath == NULL || values.subsystem == NULL)
		return;
	if (text_equals(values.subsystem, "infiniband"))
		parse_device(&values, message);
	else if (text_equals(values.subsystem, "infiniband_verbs"))
		parse_verbs(&values, message);
	else if (text_equals(values.subsystem, "pci"))
		parse_pci(&values, message);
}
