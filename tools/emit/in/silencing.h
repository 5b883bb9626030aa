/* silencing - reloads the silences file when it changes, and marks events that a silence covers as
 * STORE_ONLY. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SILENCING_H
#define EMIT_SILENCING_H

#include "silencereader.h"

struct silencing {
	struct silencereader reader;
	int fd;               /* inotify of the file's directory; -1: none */
	uint64_t next_end_ns; /* end of the silence that ends next, ns since 1970 */
	uint64_t covered;     /* events covered on arrival */
};

/* Keep `path` (NULL: no silences) and watch its directory. Without a watch, and after a
 * failed read, the file is checked once a second. */
void silencing_init(struct silencing *silencing, const char *path);
void silencing_fini(struct silencing *silencing);

/* Reload the file if it has changed. Return true if the silences in force have changed since the
 * last call: the file changed, or one has ended. `now_ns` since 1970. */
bool silencing_refresh(struct silencing *silencing, uint64_t now_ns);

/* Return the silences in force as text of the file; "" if there are none. */
const char *silencing_text(const struct silencing *silencing);

/* Return in how many ns to call silencing_refresh() again; UINT64_MAX: never. */
uint64_t silencing_wakes_in_ns(const struct silencing *silencing, uint64_t now_ns);

/* Mark an arriving event with silencing_mark(), and count it. Return true if it was marked. */
bool silencing_cover(struct silencing *silencing, json_t *event, uint64_t now_ns);

/* Mark an event if a silence covers it at `now_ns`. Leave healthy events and marked ones as they
 * are. Return true if it was marked. */
bool silencing_mark(const struct silences *silences, json_t *event, uint64_t now_ns);

#endif
