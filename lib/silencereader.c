/* silencereader - the file of silences. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "silencereader.h"

#include "atomfile.h"
#include "diag.h"

#include <errno.h>
#include <stdlib.h>

/* How many lines of a file were left out. */
struct refusals {
	const char *path;
	size_t count;
};

static void
refuse(void *context, size_t line, const char *reason)
{
	struct refusals *refusals = context;
	refusals->count++;
	diag_error("silences %s: line %zu: %s", refusals->path, line, reason);
}

int
silencereader_read(
	struct silences *out, const char *path, const char *text, size_t length, size_t *refused)
{
	struct refusals refusals = {.path = path};
	int status = silences_read(out, text, length, refuse, &refusals);
	*refused = refusals.count;
	return status;
}

/* Takes the text over if it will do. True when it has. */
static bool
take(struct silencereader *reader, char *text, size_t length, bool is_first)
{
	struct silences silences;
	size_t refused;
	bool is_read = silencereader_read(&silences, reader->path, text, length, &refused) == 0;
	if (is_read && (refused == 0 || is_first)) {
		free(reader->text);
		silences_fini(&reader->silences);
		reader->text = text;
		reader->silences = silences;
		return true;
	}
	diag_warn("silences %s: not taken: what was in force before stays so", reader->path);
	if (is_read)
		silences_fini(&silences);
	free(text);
	return false;
}

bool
silencereader_refresh(struct silencereader *reader)
{
	struct stat now = {.st_size = 0};
	if (reader->path == NULL)
		return false;
	bool is_first = reader->seen.st_ino == 0;
	if (stat(reader->path, &now) < 0 && errno == ENOENT) {
		bool had = reader->silences.count > 0;
		reader->seen = (struct stat){.st_ino = 0};
		free(reader->text);
		reader->text = NULL;
		silences_fini(&reader->silences);
		return had;
	}
	if (!atomfile_has_changed(reader->path, &reader->seen, &now))
		return false;
	reader->seen = now;
	size_t length = 0;
	char *text = atomfile_read_new(reader->path, SILENCE_FILE_BYTES, &length);
	if (text != NULL)
		return take(reader, text, length, is_first);
	char reason[OWNFILE_REASON_SIZE];
	atomfile_explain(reader->path, errno, reason);
	diag_warn("silences %s: %s: what was in force before stays so", reader->path, reason);
	return false;
}

void
silencereader_fini(struct silencereader *reader)
{
	free(reader->text);
	silences_fini(&reader->silences);
}
