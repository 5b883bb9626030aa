/* uevent - reports devices that are added, removed or renamed, and PCI recovery, from uevents. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "uevent.h"

#include "fd.h"
#include "netlink.h"
#include "ueventmessage.h"

#include <linux/netlink.h>
#include <string.h>

/* The kernel's own messages; udev's processed copies are in another group. */
#define GROUP_KERNEL 1

int
uevent_open(
	struct uevent *uevent, struct devicelook *look, struct verbs *verbs, struct output *output)
{
	*uevent = (struct uevent){.look = look, .verbs = verbs, .output = output};
	uevent->fd = netlink_open(NETLINK_KOBJECT_UEVENT, GROUP_KERNEL);
	return uevent->fd < 0 ? -1 : 0;
}

static void
report(struct uevent *uevent, const struct ueventmessage *message)
{
	struct notice notice = {.kind = NOTICE_ASYNC,
		.via = VIA_UEVENT,
		.event = message->event,
		.fabric_error = message->fabric_error,
		.count = 1};
	if (message->about == UEVENTMESSAGE_PCI)
		notice_copy(notice.pci, sizeof notice.pci, message->name, strlen(message->name));
	else
		strcpy(notice.device, message->name);
	output_accept(uevent->output, &notice);
}

static int
accept_bytes(void *self, const unsigned char *bytes, size_t length)
{
	struct uevent *uevent = self;
	struct ueventmessage message;
	ueventmessage_parse((const char *)bytes, length, &message);
	switch (message.about) {
	case UEVENTMESSAGE_VERBS:
		if (message.is_removed)
			verbs_remove(uevent->verbs, message.name);
		else
			verbs_add(uevent->verbs, message.name);
		break;
	case UEVENTMESSAGE_DEVICE:
		devicelook_forget(uevent->look);
		verbs_learn_names(uevent->verbs);
		report(uevent, &message);
		break;
	case UEVENTMESSAGE_PCI:
		report(uevent, &message);
		break;
	case UEVENTMESSAGE_OTHER:
		break;
	}
	return 0;
}

static void
note_loss(void *self)
{
	struct uevent *uevent = self;
	output_gap(uevent->output, VIA_UEVENT);
	devicelook_forget(uevent->look);
	verbs_reopen(uevent->verbs);
}

int
uevent_read(struct uevent *uevent)
{
	const struct netlink_receiver receiver = {uevent, accept_bytes, note_loss};
	return netlink_receive(uevent->fd, &receiver);
}

void
uevent_close(struct uevent *uevent)
{
	fd_close(uevent->fd);
	uevent->fd = -1;
}
