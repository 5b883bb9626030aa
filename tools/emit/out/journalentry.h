/* journalentry - an event as an entry of systemd's journal, in the form of its native protocol
 * (systemd.io/JOURNAL_NATIVE_PROTOCOL). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALENTRY_H
#define EMIT_JOURNALENTRY_H

#include <jansson.h>
#include <stddef.h>

/* Most bytes of an entry: a datagram of this size fits into any socket's buffer. An event that is
 * longer, as none of ours is, goes without its record. */
#define JOURNALENTRY_MAX_BYTES ((size_t)64 << 10)

/* The entry of an event whose record is the text `line` of `length` bytes, from malloc, `*size`
 * bytes; NULL when memory ran out. */
char *journalentry_new(const json_t *event, const char *line, size_t length, size_t *size);

#endif
