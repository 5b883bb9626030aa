/* uevent - devices that come, go and are renamed, from the kernel's uevents. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "uevent.h"

#include "fd.h"
#include "netlink.h"
#include "ueventmessage.h"

#include <linux/netlink.h>
#include <string.h>

/* The group of the kernel's own messages; what udev makes of them is in another. */
#define GROUP_KERNEL 1

/* Messages that are read before other sources have their turn. */
#define BATCH 64

/* UEVENT_BUFFER_SIZE, with the line before it (include/linux/kobject.h). */
#define MESSAGE_MAX_BYTES 8192

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
		.via = NOTICE_UEVENT,
		.event = message->event,
		.fabric_error = message->fabric_error,
		.count = 1};
	if (message->about == UEVENTMESSAGE_PCI)
		notice_copy(notice.pci, sizeof notice.pci, message->name, strlen(message->name));
	else
		strcpy(notice.device, message->name);
	output_accept(uevent->output, &notice);
}

static void
accept_message(struct uevent *uevent, const struct ueventmessage *message)
{
	switch (message->about) {
	case UEVENTMESSAGE_VERBS:
		if (message->is_removed)
			verbs_remove(uevent->verbs, message->name);
		else
			verbs_add(uevent->verbs, message->name);
		break;
	case UEVENTMESSAGE_DEVICE:
		devicelook_forget(uevent->look);
		verbs_learn_names(uevent->verbs);
		report(uevent, message);
		break;
	case UEVENTMESSAGE_PCI:
		report(uevent, message);
		break;
	case UEVENTMESSAGE_OTHER:
		break;
	}
}

static void
note_loss(struct uevent *uevent)
{
	output_gap(uevent->output, NOTICE_UEVENT);
	devicelook_forget(uevent->look);
	verbs_begin_anew(uevent->verbs);
}

int
uevent_read(struct uevent *uevent)
{
	char bytes[MESSAGE_MAX_BYTES];
	for (unsigned i = 0; i < BATCH; i++) {
		size_t length;
		struct ueventmessage message;
		switch (netlink_read(uevent->fd, bytes, sizeof bytes, &length)) {
		case NETLINK_MESSAGE:
			ueventmessage_parse(bytes, length, &message);
			accept_message(uevent, &message);
			break;
		case NETLINK_LOST:
			note_loss(uevent);
			break;
		case NETLINK_NOTHING:
			return 0;
		case NETLINK_FAILED:
			return -1;
		case NETLINK_FOREIGN:
			break;
		}
	}
	return 0;
}

void
uevent_close(struct uevent *uevent)
{
	fd_close(uevent->fd);
	uevent->fd = -1;
}
