/* feed - base of the feeds that read a fleet's events from a server. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "feed.h"

#include <stdio.h>

bool
feed_lose(struct feed *feed, const char *what, const char *why)
{
	snprintf(feed->reason, sizeof feed->reason, "%s: %s", what, why);
	feed->kind->close(feed);
	feed->is_reading = false;
	return false;
}
