/* silencing - the file of silences, and what it makes of events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "silencing.h"

#include "atomfile.h"
#include "diag.h"
#include "facts.h"
#include "fd.h"
#include "num.h"
#include "ownfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* How often to look at a file that nobody watches; and how often to look at the clock while a
 * silence holds, since somebody may set it. */
#define LOOK_NS NUM_NS_PER_S
#define CLOCK_NS (60 * NUM_NS_PER_S)

/* --- the file --- */

void
silencing_init(struct silencing *silencing, const char *path)
{
	*silencing = (struct silencing){.path = path, .fd = -1, .next_end_ns = UINT64_MAX};
	if (path == NULL)
		return;
	char *directory = ownfile_directory_new(path);
	silencing->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (directory == NULL || silencing->fd < 0 ||
		inotify_add_watch(silencing->fd, directory, IN_MOVED_TO | IN_DELETE) < 0) {
		fd_close(silencing->fd);
		silencing->fd = -1;
	}
	free(directory);
}

void
silencing_fini(struct silencing *silencing)
{
	fd_close(silencing->fd);
	free(silencing->text);
	silences_fini(&silencing->silences);
}

/* How many lines of a file were refused. */
struct refusals {
	const char *path;
	size_t count;
};

static void
refuse(void *context, size_t line, const char *reason)
{
	struct refusals *refusals = context;
	refusals->count++;
	diag_warn("silences %s: line %zu: %s", refusals->path, line, reason);
}

/* Takes the text over if it will do. True when it has. */
static bool
take(struct silencing *silencing, char *text, size_t length, bool is_first)
{
	struct silences silences;
	struct refusals refusals = {.path = silencing->path};
	bool is_read = silences_read(&silences, text, length, refuse, &refusals) == 0;
	if (is_read && (refusals.count == 0 || is_first)) {
		free(silencing->text);
		silences_fini(&silencing->silences);
		silencing->text = text;
		silencing->silences = silences;
		return true;
	}
	diag_warn("silences %s: not taken: what was in force before stays so", silencing->path);
	if (is_read)
		silences_fini(&silences);
	free(text);
	return false;
}

/* True when what is in force may be something else now. */
static bool
read_again(struct silencing *silencing)
{
	struct stat now = {.st_size = 0};
	bool is_first = silencing->seen.st_ino == 0;
	if (stat(silencing->path, &now) < 0 && errno == ENOENT) {
		bool had = silencing->silences.count > 0;
		silencing->seen = (struct stat){.st_ino = 0};
		free(silencing->text);
		silencing->text = NULL;
		silences_fini(&silencing->silences);
		return had;
	}
	if (!atomfile_has_changed(silencing->path, &silencing->seen, &now))
		return false;
	silencing->seen = now;
	size_t length = 0;
	char *text = atomfile_read_new(silencing->path, SILENCE_FILE_BYTES, &length);
	if (text != NULL)
		return take(silencing, text, length, is_first);
	char reason[OWNFILE_REASON_SIZE];
	atomfile_explain(silencing->path, errno, reason);
	diag_warn("silences %s: %s: what was in force before stays so", silencing->path, reason);
	return false;
}

/* What the directory has told is only that one should look. */
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
	if (silencing->path == NULL)
		return false;
	drain(silencing->fd);
	bool has_changed = read_again(silencing);
	uint64_t next_ns = silences_next_end_ns(&silencing->silences, now_ns);
	/* One has ended, or a clock that was set has let one hold again. */
	has_changed |= next_ns != silencing->next_end_ns;
	silencing->next_end_ns = next_ns;
	return has_changed;
}

const char *
silencing_text(const struct silencing *silencing)
{
	return silencing->text != NULL ? silencing->text : "";
}

uint64_t
silencing_wakes_in_ns(const struct silencing *silencing, uint64_t now_ns)
{
	uint64_t in_ns = UINT64_MAX;
	if (silencing->next_end_ns != UINT64_MAX) {
		in_ns = silencing->next_end_ns > now_ns ? silencing->next_end_ns - now_ns : 0;
		in_ns = in_ns < CLOCK_NS ? in_ns : CLOCK_NS;
	}
	bool looks = silencing->path != NULL && silencing->fd < 0;
	return looks && in_ns > LOOK_NS ? LOOK_NS : in_ns;
}

/* --- events --- */

/* The object that is there, or a new one. */
static json_t *
metadata_of(json_t *event)
{
	json_t *metadata = json_object_get(event, "metadata");
	if (json_is_object(metadata))
		return metadata;
	metadata = json_object();
	json_object_set_new(event, "metadata", metadata);
	return metadata;
}

bool
silencing_mark(const struct silencing *silencing, json_t *event, uint64_t now_ns)
{
	struct facts facts;
	struct facts_room room;
	if (silencing->silences.count == 0)
		return false;
	facts_read(&facts, &room, event);
	const struct silence_subject subject = {
		facts.device, facts.devices, facts.port, facts.code};
	const struct silence *silence = silences_find(&silencing->silences, &subject, now_ns);
	if (silence == NULL || facts.healthy)
		return false;
	json_t *metadata = metadata_of(event);
	json_object_set_new(metadata, FACTS_SILENCE_KEY, json_string(silence->id));
	json_object_set_new(metadata, FACTS_SILENCE_BY_KEY, json_string(silence->by));
	json_object_set_new(metadata, FACTS_SILENCE_WHY_KEY, json_string(silence->why));
	json_object_set_new(metadata, FACTS_SILENCE_STRATEGY_KEY, json_string(facts.strategy));
	json_object_set_new(
		event, "processingStrategy", json_string(event_strategies[EVENT_STORE_ONLY]));
	return true;
}
