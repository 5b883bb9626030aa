/* silencereader - reads the silences file and follows its changes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "silencereader.h"

#include "atomfile.h"
#include "diag.h"

#include <errno.h>
#include <stdlib.h>

/* Rejected lines of a file. */
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

/* Put the new silences into force if the file is valid, else free them. Return whether it did. */
static bool
put_in_force(struct silencereader *reader, char *text, struct silences *silences, bool will_do)
{
	if (will_do) {
		free(reader->text);
		silences_fini(&reader->silences);
		reader->text = text;
		reader->silences = *silences;
		return true;
	}
	diag_warn("silences %s: rejected: the previous silences stay in effect", reader->path);
	silences_fini(silences);
	free(text);
	return false;
}

/* Retry on the next poll, except for EFBIG: most errors can go away without a change of the
 * file. */
static void
note_failure(struct silencereader *reader, const struct stat *now, int error)
{
	char reason[OWNFILE_REASON_SIZE];
	if (error == EFBIG)
		reader->seen = *now;
	if (error != reader->failure) {
		atomfile_explain(reader->path, error, reason);
		diag_warn("silences %s: %s: the previous silences stay in effect", reader->path,
			reason);
	}
	reader->failure = error;
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
		reader->failure = 0;
		free(reader->text);
		reader->text = NULL;
		silences_fini(&reader->silences);
		return had;
	}
	if (!atomfile_has_changed(reader->path, &reader->seen, &now)) {
		reader->failure = 0;
		return false;
	}
	size_t length = 0, refused;
	struct silences silences;
	char *text = atomfile_read_new(reader->path, SILENCE_FILE_BYTES, &length);
	if (text == NULL) {
		note_failure(reader, &now, errno);
		return false;
	}
	if (silencereader_read(&silences, reader->path, text, length, &refused) < 0) {
		note_failure(reader, &now, ENOMEM);
		free(text);
		return false;
	}
	reader->seen = now;
	reader->failure = 0;
	return put_in_force(reader, text, &silences, refused == 0 || is_first);
}

void
silencereader_fini(struct silencereader *reader)
{
	free(reader->text);
	silences_fini(&reader->silences);
}
