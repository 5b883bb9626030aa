/* silencing - reloads the silences file and marks events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "silencing.h"

#include "atomfile.h"
#include "clock.h"
#include "diag.h"
#include "facts.h"
#include "fd.h"
#include "num.h"
#include "ownfile.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Interval of checking a file that has no watch or could not be read; and of checking the clock
 * while a silence is in force, because the clock may be set. */
#define LOOK_NS NUM_NS_PER_S
#define CLOCK_NS (60 * NUM_NS_PER_S)

/* --- the file --- */

/* nicsilence renames a new file; a person may also write into it, as cp(1) does. */
#define CHANGES (IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE)

/* silencing_refresh() retries this if the directory does not exist yet. */
static void
watch(struct silencing *silencing)
{
	char *directory = ownfile_directory_new(silencing->reader.path);
	silencing->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (directory == NULL || silencing->fd < 0 ||
		inotify_add_watch(silencing->fd, directory, CHANGES) < 0) {
		fd_close(silencing->fd);
		silencing->fd = -1;
	}
	free(directory);
}

void
silencing_init(struct silencing *silencing, const char *path)
{
	*silencing = (struct silencing){.reader.path = path, .fd = -1, .next_end_ns = UINT64_MAX};
	if (path != NULL)
		watch(silencing);
}

void
silencing_fini(struct silencing *silencing)
{
	fd_close(silencing->fd);
	silencereader_fini(&silencing->reader);
}

/* Discard the inotify events: they only say that the file may have changed. */
static void
drain(int fd)
{
	char notes[4096];
	while (fd >= 0 && read(fd, notes, sizeof notes) > 0)
		continue;
}

bool
silencing_refresh(struct silencing *silencing, uint64_t now_ns)
{
	if (silencing->reader.path == NULL)
		return false;
	if (silencing->fd < 0)
		watch(silencing);
	drain(silencing->fd);
	bool has_changed = silencereader_refresh(&silencing->reader);
	uint64_t next_ns = silences_next_end_ns(&silencing->reader.silences, now_ns);
	/* A silence has ended, or the clock was set back and one is in force again. */
	has_changed |= next_ns != silencing->next_end_ns;
	silencing->next_end_ns = next_ns;
	return has_changed;
}

const char *
silencing_text(const struct silencing *silencing)
{
	return text_or_empty(silencing->reader.text);
}

uint64_t
silencing_wakes_in_ns(const struct silencing *silencing, uint64_t now_ns)
{
	uint64_t in_ns = clock_left_ns(silencing->next_end_ns, now_ns);
	if (in_ns != UINT64_MAX)
		in_ns = clock_earlier(in_ns, CLOCK_NS);
	bool looks = silencing->reader.path != NULL &&
		     (silencing->fd < 0 || silencing->reader.failure != 0);
	return looks && in_ns > LOOK_NS ? LOOK_NS : in_ns;
}

/* --- events --- */

bool
silencing_mark(const struct silences *silences, json_t *event, uint64_t now_ns)
{
	struct facts facts;
	struct facts_room room;
	if (silences->count == 0)
		return false;
	facts_read(&facts, &room, event);
	const struct silence_subject subject = {
		facts.device, facts.devices, facts.port, facts.code};
	const struct silence *silence = silences_find(silences, &subject, now_ns);
	if (silence == NULL || facts.healthy || *facts.silence != '\0')
		return false;
	json_t *metadata = facts_metadata(event);
	json_object_set_new(metadata, FACTS_SILENCE_KEY, json_string(silence->id));
	json_object_set_new(metadata, FACTS_SILENCE_BY_KEY, json_string(silence->by));
	json_object_set_new(metadata, FACTS_SILENCE_WHY_KEY, json_string(silence->why));
	json_object_set_new(metadata, FACTS_SILENCE_STRATEGY_KEY, json_string(facts.strategy));
	json_object_set_new(
		event, "processingStrategy", json_string(event_strategies[EVENT_STORE_ONLY]));
	return true;
}

bool
silencing_cover(struct silencing *silencing, json_t *event, uint64_t now_ns)
{
	bool is_marked = silencing_mark(&silencing->reader.silences, event, now_ns);
	silencing->covered += is_marked;
	return is_marked;
}
