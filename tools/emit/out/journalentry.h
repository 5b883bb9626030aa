/* journalentry - formats an event as an entry of systemd's journal, in its native protocol
 * (systemd.io/JOURNAL_NATIVE_PROTOCOL). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALENTRY_H
#define EMIT_JOURNALENTRY_H

#include <jansson.h>
#include <stddef.h>

/* Limit of an entry, bytes: a datagram of this size fits into any socket buffer. A longer event,
 * which this monitor never writes, is sent without its record. */
#define JOURNALENTRY_MAX_BYTES ((size_t)64 << 10)

/* Format the entry of an event whose record is `line`, of `length` bytes. From malloc, `*size`
 * bytes; NULL if memory runs out. */
char *journalentry_new(const json_t *event, const char *line, size_t length, size_t *size);

#endif
