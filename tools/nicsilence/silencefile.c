/* silencefile - reads and replaces the file of silences. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "silencefile.h"

#include "atomfile.h"
#include "diag.h"
#include "owner.h"
#include "ownfile.h"
#include "rec.h"
#include "silencereader.h"
#include "strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Report errno. Return the exit code. */
static int
fail(const char *path, const char *what)
{
	int error = errno;
	char reason[OWNFILE_REASON_SIZE];
	atomfile_explain(path, error, reason);
	diag_error("%s: %s%s", path, what, reason);
	return error == EACCES || error == EPERM || error == EROFS || error == ELOOP
		       ? EXIT_NO_PERMISSION
		       : EXIT_IO;
}

int
silencefile_become_owner(const char *path, bool changes)
{
	struct stat status;
	if (geteuid() != 0)
		return 0;
	char *directory = ownfile_directory_new(path);
	if (directory == NULL)
		return diag_no_memory();
	bool is_there = stat(directory, &status) == 0;
	int code = is_there || !changes ? 0 : fail(directory, "");
	free(directory);
	if (!is_there || status.st_uid == 0)
		return code;
	if (owner_become(&status) == 0)
		return 0;
	diag_error("cannot switch to the owner of %s: %s", path, strerror(errno));
	return EXIT_OS;
}

int
silencefile_lock(const char *path)
{
	char *lock;
	if (asprintf(&lock, "%s.lock", path) < 0)
		return diag_no_memory();
	int fd = atomfile_lock(lock), code = 0;
	if (fd < 0 && errno == EWOULDBLOCK) {
		char holder[ATOMFILE_HOLDER_SIZE];
		diag_error("%s: %s is changing it", path, atomfile_describe_holder(lock, holder));
		code = EXIT_TRY_LATER;
	} else if (fd < 0) {
		code = fail(lock, "");
	}
	free(lock);
	return code;
}

int
silencefile_read(const char *path, struct silences *out)
{
	size_t length, refused;
	*out = (struct silences){.count = 0};
	char *text = atomfile_read_new(path, SILENCE_FILE_BYTES, &length);
	if (text == NULL && errno == ENOENT)
		return 0;
	if (text == NULL)
		return fail(path, "");
	int status = silencereader_read(out, path, text, length, &refused);
	free(text);
	if (status < 0)
		return diag_no_memory();
	return refused == 0 ? 0 : EXIT_DATA;
}

int
silencefile_write(const char *path, const struct silences *silences, uint64_t now_ns,
	const char *ended, const json_t *added)
{
	struct strbuf text = {0};
	size_t count = added != NULL;
	for (size_t i = 0; i < silences->count; i++) {
		const struct silence *silence = &silences->items[i];
		bool stays = now_ns < silence->until_ns &&
			     (ended == NULL || strcmp(silence->id, ended) != 0);
		if (stays)
			rec_add_line(&text, silence->record);
		count += stays;
	}
	if (added != NULL)
		rec_add_line(&text, added);
	size_t length = text.length;
	char *bytes = strbuf_detach_new(&text);
	if (bytes == NULL)
		return diag_no_memory();
	if (count > SILENCE_MAX || length > SILENCE_FILE_BYTES) {
		free(bytes);
		diag_error("%s: not changed: it is full: end a silence first", path);
		return EXIT_TRY_LATER;
	}
	int code = atomfile_write(path, bytes, length, ATOMFILE_PUBLIC_MODE) == 0
			   ? 0
			   : fail(path, "not changed: ");
	free(bytes);
	return code;
}
