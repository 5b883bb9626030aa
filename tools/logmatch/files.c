/* files - reads the logs in files and on stdin, one after the other. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include "array.h"
#include "blocks.h"
#include "clock.h"
#include "diag.h"
#include "num.h"
#include "pieces.h"
#include "stamp.h"
#include "stop.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* How long facts from sysfs are reused. */
#define MOMENT_NS (10 * NUM_NS_PER_MS)

struct files {
	struct pieces pieces;
	bool has_now; /* --now is given */
};

/* Accept the held record and commit its events. Return the exit code. */
static int
release(struct files *files, const struct analysis_place *place)
{
	struct clock_moment now;
	clock_now(&now);
	return pieces_release(&files->pieces, place) < 0 ||
			       output_commit(files->pieces.analysis->output, OUTLET_MAY_WAIT,
				       now.boottime_ns) < 0
		       ? diag_io_failure("stdout")
		       : 0;
}

/* True if the first line is a single brace or bracket, as in journalctl -o json-pretty and dmesg
 * --json, or has a cursor, as in -o export and -o verbose: no later line of these can be parsed by
 * itself. */
static bool
begins_many_lined(const char *bytes, size_t length)
{
	struct cursor at = {bytes, bytes + length};
	struct stamp stamp;
	if (cursor_skip_char(&at, '{') || cursor_skip_char(&at, '[')) {
		cursor_skip_char(&at, '\r');
		return cursor_is(&at, '\n');
	}
	return cursor_skip_text(&at, "__CURSOR=") ||
	       (stamp_parse_date(&at, &stamp) && cursor_skip_text(&at, "[s="));
}

/* Return the program that turns the log into text, or NULL if it may be text. No line of a log
 * begins with these bytes. */
static const char *
find_decoder(const char *bytes, size_t length)
{
	static const struct {
		const char *magic, *decoder;
	} forms[] = {
		{"\x1F\x8B", "zcat"},
		{"\xFD\x37zXZ", "xzcat"},
		{"\x28\xB5\x2F\xFD", "zstdcat"},
		{"BZh91AY&SY", "bzcat"},
		{"\x04\x22\x4D\x18", "lz4cat"},
		{"LPKSHHRH", "journalctl -o json --file"},
		{"\xFF\xFE", "iconv -f UTF-16"},
		{"\xFE\xFF", "iconv -f UTF-16"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		size_t size = strlen(forms[i].magic);
		if (length > size && memcmp(bytes, forms[i].magic, size) == 0)
			return forms[i].decoder;
	}
	return NULL;
}

/* Report a log whose lines cannot be read, by its first bytes. */
static bool
is_unreadable(const char *name, const char *bytes, size_t length)
{
	const char *decoder = find_decoder(bytes, length);
	if (decoder != NULL)
		diag_error("%s: not text: read the output of '%s'", name, decoder);
	else if (begins_many_lined(bytes, length))
		diag_error("%s: entries of several lines are not supported: use journalctl -o "
			   "json, or dmesg without --json",
			name);
	else
		return false;
	return true;
}

/* Skip the mark with which programs of Windows begin a text. Return its size, or 0. */
static size_t
skip_mark(const char **bytes, size_t *length)
{
	size_t size = strlen(UTF8_BYTE_ORDER_MARK);
	if (*length < size || memcmp(*bytes, UTF8_BYTE_ORDER_MARK, size) != 0)
		return 0;
	*bytes += size;
	*length -= size;
	return size;
}

static int
read_blocks(struct files *files, int fd, const char *name)
{
	struct analysis *analysis = files->pieces.analysis;
	struct blocks blocks;
	struct analysis_place place = {.name = name, .unit = "at byte"};
	const char *bytes;
	size_t length;
	enum blocks_status status;
	uint64_t looked_ns = 0; /* last pcilook_refresh(), CLOCK_BOOTTIME */
	int code = 0;

	blocks_init(&blocks, fd);
	analysis->in_text = false;
	while (code == 0) {
		struct clock_moment now;
		status = blocks_next(&blocks, &bytes, &length, &place.number);
		if ((status == BLOCKS_OK || status == BLOCKS_OVERSIZED) && place.number == 0 &&
			is_unreadable(name, bytes, length)) {
			code = EXIT_DATA;
			break;
		}
		if (status == BLOCKS_OVERSIZED) {
			analysis_skip(analysis, &place, "a line of more than 1 MiB");
			continue;
		}
		if (status != BLOCKS_OK)
			break;
		if (place.number == 0)
			place.number = skip_mark(&bytes, &length);
		clock_now(&now);
		if (!files->has_now)
			analysis->time.now_ns = clock_realtime_ns();
		/* Reading a block takes less time than a device needs to change its name. */
		if (now.boottime_ns - looked_ns >= MOMENT_NS) {
			pcilook_refresh(analysis->look);
			looked_ns = now.boottime_ns;
		}
		if (pieces_accept(&files->pieces, &place, bytes, length) < 0 ||
			output_commit(analysis->output, OUTLET_MAY_WAIT, now.boottime_ns) < 0)
			code = diag_io_failure("stdout");
		logmetrics_update(&analysis->metrics, &analysis->memory.standing);
	}
	if (code == 0 && status == BLOCKS_ERROR)
		code = diag_io_failure(name);
	if (code == 0)
		code = release(files, &place);
	analysis_end_input(analysis, name);
	blocks_fini(&blocks);
	return code;
}

static int
read_file(struct files *files, const char *path)
{
	if (strcmp(path, "-") == 0)
		return read_blocks(files, STDIN_FILENO, "stdin");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		/* open() of a FIFO blocks until it has a writer; a stop request interrupts it. */
		bool stopped = errno == EINTR && stop_requested();
		return stopped ? 0 : diag_open_failure(path);
	}
	int code = read_blocks(files, fd, path);
	close(fd);
	return code;
}

/* Go on with the next file when one cannot be read. Return the first error. */
static int
read_all(struct files *files, const char *const *paths, size_t count)
{
	int code = 0;

	if (count == 0)
		return read_file(files, "-");
	for (size_t i = 0; i < count && !stop_requested(); i++) {
		int one = read_file(files, paths[i]);
		if (code == 0)
			code = one;
	}
	return code;
}

int
files_read(const char *const *paths, size_t count, enum logline_format format, bool has_now,
	struct analysis *analysis)
{
	struct files files = {
		.pieces = {.analysis = analysis, .format = format}, .has_now = has_now};
	int code = read_all(&files, paths, count);
	pieces_fini(&files.pieces);
	return code;
}
