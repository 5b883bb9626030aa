/* linkmessage - parses rtnetlink messages about network interfaces. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "linkmessage.h"

#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

static size_t
padded(size_t length)
{
	return (length + 3) & ~(size_t)3;
}

/* Skip a part of `length` bytes and its padding, which the last part may lack. */
static void
step(const unsigned char **rest, size_t *left, size_t length)
{
	size_t whole = padded(length) < *left ? padded(length) : *left;
	*rest += whole;
	*left -= whole;
}

/* Return false if it is not the name of an interface. */
static bool
parse_name(struct linkmessage *message, const unsigned char *payload, size_t length)
{
	size_t used = strnlen((const char *)payload, length);
	if (used == 0 || used >= sizeof message->name)
		return false;
	memcpy(message->name, payload, used);
	message->name[used] = '\0';
	return true;
}

static bool
parse_attributes(struct linkmessage *message, const unsigned char *at, size_t left)
{
	bool is_named = false;
	while (left > 0) {
		struct rtattr header;
		if (left < sizeof header)
			return false;
		memcpy(&header, at, sizeof header);
		if (header.rta_len < sizeof header || header.rta_len > left)
			return false;
		const unsigned char *payload = at + sizeof header;
		size_t length = header.rta_len - sizeof header;
		if (header.rta_type == IFLA_IFNAME)
			is_named = parse_name(message, payload, length);
		if (header.rta_type == IFLA_CARRIER_CHANGES &&
			length == sizeof message->carrier_changes) {
			memcpy(&message->carrier_changes, payload, length);
			message->has_carrier_changes = true;
		}
		step(&at, &left, header.rta_len);
	}
	return is_named;
}

/* Messages about the ports of a bridge have the same types, and another family
 * (kernel#link-notifications). */
static bool
is_of_interface(uint16_t type, const unsigned char *payload, size_t length)
{
	return (type == RTM_NEWLINK || type == RTM_DELLINK) &&
	       (length == 0 || *payload == AF_UNSPEC);
}

static enum linkmessage_status
parse_link(struct linkmessage *message, uint16_t type, const unsigned char *at, size_t length)
{
	struct ifinfomsg info;
	if (length < sizeof info)
		return LINKMESSAGE_MALFORMED;
	memcpy(&info, at, sizeof info);
	message->index = info.ifi_index;
	message->is_up = (info.ifi_flags & IFF_RUNNING) != 0;
	if (type == RTM_DELLINK)
		return LINKMESSAGE_GONE;
	return parse_attributes(message, at + sizeof info, length - sizeof info)
		       ? LINKMESSAGE_CHANGED
		       : LINKMESSAGE_MALFORMED;
}

/* Error 0 is an acknowledgement. */
static enum linkmessage_status
parse_error(struct linkmessage *message, const unsigned char *at, size_t length)
{
	int32_t error;
	if (length < sizeof error)
		return LINKMESSAGE_MALFORMED;
	memcpy(&error, at, sizeof error);
	if (error >= 0 || error < -4095)
		return error == 0 ? LINKMESSAGE_DUMPED : LINKMESSAGE_MALFORMED;
	message->error = -error;
	return LINKMESSAGE_REFUSED;
}

enum linkmessage_status
linkmessage_next(const unsigned char **rest, size_t *length, struct linkmessage *message)
{
	*message = (struct linkmessage){0};
	while (*length > 0) {
		struct nlmsghdr header;
		const unsigned char *at = *rest;
		if (*length < sizeof header)
			return LINKMESSAGE_MALFORMED;
		memcpy(&header, at, sizeof header);
		if (header.nlmsg_len < sizeof header || header.nlmsg_len > *length)
			return LINKMESSAGE_MALFORMED;
		step(rest, length, header.nlmsg_len);
		at += sizeof header;
		size_t payload = header.nlmsg_len - sizeof header;
		if (is_of_interface(header.nlmsg_type, at, payload))
			return parse_link(message, header.nlmsg_type, at, payload);
		if (header.nlmsg_type == NLMSG_DONE)
			return LINKMESSAGE_DUMPED;
		if (header.nlmsg_type == NLMSG_ERROR)
			return parse_error(message, at, payload);
	}
	return LINKMESSAGE_END;
}
