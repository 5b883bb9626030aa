/* journald - the sink that writes to systemd's journal: an entry per event, with a readable
 * message, a priority and searchable fields. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "journalentry.h"
#include "rec.h"
#include "sinkspec.h"
#include "stream.h"
#include "transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Socket of systemd-journald.service(8). */
#define JOURNALD_SOCKET "/run/systemd/journal/socket"

static enum transport_status
open_journal(struct transport *transport)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strcpy(address.sun_path, transport->spec->path); /* length checked by parse() */
	transport->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (transport->fd < 0 ||
		connect(transport->fd, (const struct sockaddr *)&address, sizeof address) < 0)
		return transport_fail(transport, strerror(errno));
	return TRANSPORT_READY;
}

/* A datagram is sent completely or not at all. */
static ssize_t
write_journal(struct transport *transport, const char *bytes, size_t length)
{
	struct rec_error error;
	size_t size = 0;
	json_t *event = rec_parse_new(bytes, length - 1, &error);
	char *entry = event != NULL ? journalentry_new(event, bytes, length - 1, &size) : NULL;
	json_decref(event);
	if (entry == NULL) {
		snprintf(transport->problem, sizeof transport->problem, "out of memory");
		return -1;
	}
	ssize_t n = send(transport->fd, entry, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	int failure = errno;
	free(entry);
	return n >= 0 ? (ssize_t)length : transport_failed_write(transport, failure);
}

static const char *
parse(struct sink_spec *spec, const char *rest)
{
	bool is_usual = strcmp(spec->text, "journal") == 0;
	return sink_spec_parse_socket(spec, is_usual ? JOURNALD_SOCKET : rest);
}

static const struct transport_kind to_journal = {
	.open = open_journal,
	.write = write_journal,
	.is_socket = true,
	.confirmation = "read by the journal",
};

const struct sink_kind sink_journal = {
	.parse = parse,
	.engine = &stream_engine,
	.transport = &to_journal,
};
