/* scanbuf - buffers the records of one scan until its end, because the members added to scan.begin
 * depend on every device. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_SCANBUF_H
#define TOPOCLASS_SCANBUF_H

#include "scanrec.h"

/* A scan of 4096 ports with all their counters is about 16 MiB; anything larger is no scan. */
#define SCANBUF_MAX_BYTES ((size_t)64 << 20)

struct scanbuf_line {
	json_t *json;
	char *text;    /* the record as received; in the buffer a newline follows */
	size_t length; /* without the newline */
	enum scanrec_kind kind;
	struct scanrec_device device; /* if SCANREC_DEVICE */
	struct scanrec_port port;     /* if SCANREC_PORT */
};

struct scanbuf {
	struct scanbuf_line *lines;
	size_t count, capacity;
	size_t bytes;
};

/* Append a line: steals its json and copies its text. Return 0, or -1 with errno: ENOMEM, or
 * EMSGSIZE if the scan exceeds SCANBUF_MAX_BYTES. On failure, too, the json is released. */
int scanbuf_add(struct scanbuf *scan, const struct scanbuf_line *line);

/* Remove all lines but keep the array. */
void scanbuf_clear(struct scanbuf *scan);

void scanbuf_fini(struct scanbuf *scan);

/* Return a member of the scan's end record, borrowed, or NULL. */
const json_t *scanbuf_in_end(const struct scanbuf *scan, const char *key);

/* Return true if the interface is one of the device's own, or, if `with_stacked`, stacked on one of
 * them. */
bool scanbuf_has_interface(
	const struct scanrec_device *device, const char *interface, bool with_stacked);

#endif
