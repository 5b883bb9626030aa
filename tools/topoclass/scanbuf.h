/* scanbuf - the lines of one scan, held until its end, because what is added to scan.begin depends
 * on every device. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_SCANBUF_H
#define TOPOCLASS_SCANBUF_H

#include "scanrec.h"

/* A scan of 4096 ports with all their counters is some 16 MiB. What is longer is not a scan. */
#define SCANBUF_MAX_BYTES ((size_t)64 << 20)

struct scanbuf_line {
	json_t *json;
	char *text;    /* in the buffer with a newline after its length, to be written as it is */
	size_t length; /* without the newline */
	enum scanrec_kind kind;
	struct scanrec_device device; /* of a SCANREC_DEVICE */
	struct scanrec_port port;     /* of a SCANREC_PORT */
};

struct scanbuf {
	struct scanbuf_line *lines;
	size_t count, capacity;
	size_t bytes;
};

/* Appends a line, whose json is stolen and text copied. -1 with errno: ENOMEM, or EMSGSIZE when the
 * scan is beyond SCANBUF_MAX_BYTES (the json is released then, too). */
int scanbuf_add(struct scanbuf *scan, const struct scanbuf_line *line);

/* Forgets all lines and keeps the room. */
void scanbuf_clear(struct scanbuf *scan);

void scanbuf_fini(struct scanbuf *scan);

/* A member of the scan's end: the scan's own. NULL when it has none. */
const json_t *scanbuf_in_end(const struct scanbuf *scan, const char *key);

/* True when the interface is one of the device's own, or, `with_stacked`, one above these. */
bool scanbuf_has_interface(
	const struct scanrec_device *device, const char *interface, bool with_stacked);

#endif
