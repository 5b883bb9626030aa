/* Unit tests of ibevent's ueventmessage: parsing the kernel's uevents. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibevent/ueventmessage.h"

#include "check.h"

#include <stdlib.h>

/* Parse a text in which | stands for NUL. */
static struct ueventmessage
parse(const char *text)
{
	struct ueventmessage message;
	size_t length = strlen(text);
	char *bytes = malloc(length + 1);
	for (size_t i = 0; i < length; i++)
		bytes[i] = text[i] == '|' ? '\0' : text[i];
	ueventmessage_parse(bytes, length, &message);
	free(bytes);
	return message;
}

#define DEVICE(action, name) \
	action "@/devices/virtual/infiniband/" name "|ACTION=" action \
	       "|DEVPATH=/devices/virtual/infiniband/" name "|SUBSYSTEM=infiniband|SEQNUM=7|"

static void
devices(void)
{
	struct ueventmessage message = parse(DEVICE("add", "rxe0"));
	CHECK_INT(message.about, UEVENTMESSAGE_DEVICE);
	CHECK_STR(message.name, "rxe0");
	CHECK_STR(message.event, "DEVICE_ADDED");
	CHECK_STR(parse(DEVICE("remove", "rxe0")).event, "DEVICE_REMOVED");
	message = parse("move@/devices/pci0000:00/0000:18:00.0/infiniband/new|ACTION=move|"
			"DEVPATH=/devices/pci0000:00/0000:18:00.0/infiniband/new|"
			"SUBSYSTEM=infiniband|DEVPATH_OLD=/devices/pci0000:00/0000:18:00.0/"
			"infiniband/old|SEQNUM=7|");
	CHECK_STR(message.event, "DEVICE_RENAMED");
	CHECK_STR(message.name, "new");
	CHECK(!message.fabric_error);
	CHECK_INT(parse(DEVICE("change", "rxe0")).about, UEVENTMESSAGE_OTHER);
	CHECK_INT(parse(DEVICE("add", "rxe0/ports")).about, UEVENTMESSAGE_OTHER);
}

#define VERBS(action, name) \
	action "@/devices/virtual/infiniband_verbs/" name "|ACTION=" action \
	       "|DEVPATH=/devices/virtual/infiniband_verbs/" name \
	       "|SUBSYSTEM=infiniband_verbs|MAJOR=231|MINOR=192|DEVNAME=infiniband/" name "|"

static void
nodes(void)
{
	struct ueventmessage message = parse(VERBS("add", "uverbs0"));
	CHECK_INT(message.about, UEVENTMESSAGE_VERBS);
	CHECK_STR(message.name, "uverbs0");
	CHECK(message.is_added && !message.is_removed);
	message = parse(VERBS("remove", "uverbs12"));
	CHECK_STR(message.name, "uverbs12");
	CHECK(message.is_removed && !message.is_added);
	CHECK_INT(parse(VERBS("bind", "uverbs0")).about, UEVENTMESSAGE_OTHER);
}

#define PCI(class, slot, event) \
	"change@/devices/pci0000:00/" slot "|ACTION=change|DEVPATH=/devices/pci0000:00/" slot \
	"|SUBSYSTEM=pci|PCI_CLASS=" class "|PCI_SLOT_NAME=" slot "|ERROR_EVENT=" event \
					  "|DEVICE_ONLINE=0|"

static void
functions(void)
{
	struct ueventmessage message = parse(PCI("20700", "0000:18:00.0", "FAILED_RECOVERY"));
	CHECK_INT(message.about, UEVENTMESSAGE_PCI);
	CHECK_STR(message.name, "0000:18:00.0");
	CHECK_STR(message.event, "PCI_FAILED_RECOVERY");
	CHECK(message.fabric_error);
	message = parse(PCI("20000", "0000:18:00.0", "BEGIN_RECOVERY"));
	CHECK_STR(message.event, "PCI_BEGIN_RECOVERY");
	CHECK(!message.fabric_error);
	CHECK_STR(parse(PCI("C0600", "10000:18:00.0", "SUCCESSFUL_RECOVERY")).event,
		"PCI_SUCCESSFUL_RECOVERY");
	/* A GPU, an invalid class, an invalid event, an invalid address. */
	CHECK_INT(
		parse(PCI("30200", "0000:18:00.0", "FAILED_RECOVERY")).about, UEVENTMESSAGE_OTHER);
	CHECK_INT(parse(PCI("", "0000:18:00.0", "FAILED_RECOVERY")).about, UEVENTMESSAGE_OTHER);
	CHECK_INT(parse(PCI("200000000", "0000:18:00.0", "FAILED_RECOVERY")).about,
		UEVENTMESSAGE_OTHER);
	CHECK_INT(parse(PCI("20000", "0000:18:00.0", "RECOVERY")).about, UEVENTMESSAGE_OTHER);
	CHECK_INT(parse(PCI("20000", "0000:18:00.0-and-then-some", "FAILED_RECOVERY")).about,
		UEVENTMESSAGE_OTHER);
	CHECK_INT(parse("change@/devices/x|ACTION=change|DEVPATH=/devices/x|SUBSYSTEM=pci|").about,
		UEVENTMESSAGE_OTHER);
}

static void
malformed(void)
{
	static const char *const texts[] = {
		"",
		"|",
		"|||",
		"add@/devices/virtual/infiniband/rxe0",
		"add@/x|ACTION=add|SUBSYSTEM=infiniband|",
		"add@/x|ACTION=add|DEVPATH=/devices/virtual/infiniband/rxe0|",
		"add@/x|DEVPATH=/devices/virtual/infiniband/rxe0|SUBSYSTEM=infiniband|",
		"add@/x|ACTION=add|DEVPATH=rxe0|SUBSYSTEM=infiniband|",
		"add@/x|ACTION=add|DEVPATH=/rxe0|SUBSYSTEM=infiniband|",
		"add@/x|ACTION=add|DEVPATH=infiniband/rxe0|SUBSYSTEM=infiniband|",
		"add@/x|ACTION=add|DEVPATH=/xinfiniband/rxe0|SUBSYSTEM=infiniband|",
		"add@/x|ACTION=add|DEVPATH=|SUBSYSTEM=infiniband|",
		/* The last line was cut. */
		"add@/x|ACTION=add|DEVPATH=/infiniband/rxe0|SUBSYSTEM=infiniband",
		/* Longer than any device's name. */
		DEVICE("add", "0123456789012345678901234567890123456789012345678901234567890123"),
		VERBS("add", "0123456789012345678901234567890123456789012345678901234567890123"),
	};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		check_row("%s", texts[i]);
		CHECK_INT(parse(texts[i]).about, UEVENTMESSAGE_OTHER);
	}
}

static const struct check_test tests[] = {
	{"added, removed and renamed devices are events", devices},
	{"device nodes are told apart from devices", nodes},
	{"only a network function that the kernel recovers is an event", functions},
	{"an incomplete or invalid uevent is ignored", malformed},
};

CHECK_MAIN(tests)
