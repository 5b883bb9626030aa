/* link - reports network interfaces of RDMA ports that go down or up, from rtnetlink. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include "diag.h"
#include "fd.h"
#include "netlink.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

/* Request the list of all interfaces. If messages are lost meanwhile, end_list() requests it
 * again. */
static int
ask_for_list(struct link *link)
{
	const struct {
		struct nlmsghdr header;
		struct ifinfomsg info;
	} request = {
		.header = {.nlmsg_len = sizeof request,
			.nlmsg_type = RTM_GETLINK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	};
	link->needs_list = false;
	linktable_begin_list(&link->table);
	link->is_listing = send(link->fd, &request, sizeof request, 0) == sizeof request;
	return link->is_listing ? 0 : -1;
}

int
link_open(struct link *link, struct devicelook *look, struct output *output)
{
	*link = (struct link){.look = look, .output = output};
	link->fd = netlink_open(NETLINK_ROUTE, RTMGRP_LINK);
	if (link->fd < 0)
		return -1;
	if (ask_for_list(link) < 0) {
		link_close(link);
		return -1;
	}
	return 0;
}

static void
report(struct link *link, const struct notice *port, bool up, uint32_t count)
{
	struct notice notice = *port;
	if (count == 0)
		return;
	notice.event = up ? "LINK_UP" : "LINK_DOWN";
	notice.fabric_error = !up;
	notice.count = count;
	output_accept(link->output, &notice);
}

static int
accept_change(struct link *link, enum linkmessage_status status, const struct linkmessage *message)
{
	struct linktable_change change;
	struct notice port = {.kind = NOTICE_ASYNC, .via = VIA_LINK};
	if (linktable_accept(&link->table, status, message, &change) < 0)
		return -1;
	if ((change.downs == 0 && change.ups == 0) ||
		!devicelook_own(link->look, message->name, &port))
		return 0;
	report(link, &port, !message->is_up, message->is_up ? change.downs : change.ups);
	report(link, &port, message->is_up, message->is_up ? change.ups : change.downs);
	return 0;
}

static void
end_list(struct link *link)
{
	if (!link->is_listing)
		return;
	link->is_listing = false;
	if (!link->needs_list) {
		linktable_end_list(&link->table);
		diag_info("link: %zu interfaces are known", link->table.count);
	} else if (ask_for_list(link) < 0) {
		diag_warn("link: cannot ask for the interfaces: %s", strerror(errno));
	}
}

static int
accept_bytes(void *self, const unsigned char *bytes, size_t length)
{
	struct link *link = self;
	struct linkmessage message;
	for (;;) {
		enum linkmessage_status status = linkmessage_next(&bytes, &length, &message);
		switch (status) {
		case LINKMESSAGE_CHANGED:
		case LINKMESSAGE_GONE:
			if (accept_change(link, status, &message) < 0)
				return -1;
			break;
		case LINKMESSAGE_REFUSED:
			diag_warn("link: the kernel lists no interfaces: %s",
				strerror(message.error));
			link->is_listing = false;
			return 0;
		case LINKMESSAGE_DUMPED:
			end_list(link);
			break;
		case LINKMESSAGE_MALFORMED:
			diag_warn("link: cannot parse a message: skipped");
			return 0;
		case LINKMESSAGE_END:
			return 0;
		}
	}
}

/* Request the list again: interfaces that differ from the table changed in the lost messages. */
static void
note_loss(void *self)
{
	struct link *link = self;
	output_gap(link->output, VIA_LINK);
	link->needs_list = true;
	if (!link->is_listing && ask_for_list(link) < 0)
		diag_warn("link: cannot ask for the interfaces: %s", strerror(errno));
}

int
link_read(struct link *link)
{
	const struct netlink_receiver receiver = {link, accept_bytes, note_loss};
	return netlink_receive(link->fd, &receiver);
}

void
link_close(struct link *link)
{
	fd_close(link->fd);
	link->fd = -1;
	linktable_fini(&link->table);
}
