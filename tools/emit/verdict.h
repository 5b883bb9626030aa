/* verdict - what a server's answer means for the events it was sent, and the words for it. Pure. */
#ifndef EMIT_VERDICT_H
#define EMIT_VERDICT_H

#include <stddef.h>

/* Room for why. */
#define VERDICT_REASON_SIZE 200

enum verdict {
	VERDICT_ACCEPTED,
	VERDICT_RETRY,   /* not now: the same again, later */
	VERDICT_REFUSED, /* these events, or one of them, will never do */
};

/* Makes a reason: `what`, and behind a colon the server's own `length` bytes of `detail`, if there are any. White space around these is left out, what is
 * not UTF-8 becomes U+FFFD, and what is too long is cut between characters. */
void verdict_explain(
	char reason[VERDICT_REASON_SIZE], const char *what, const char *detail, size_t length);

#endif
