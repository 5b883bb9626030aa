/* fuzz_acks - parses arbitrary bytes as an acks file: what acks_read() accepts survives writing and
 * reading, sets the sources' acknowledgements, and restores a spool to a stable state. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/keepsake.h"
#include "../../tools/emit/store/spoolevents.h"
#include "acks.h"
#include "atomfile.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];
static struct spool spool;

static void
remove_file(void)
{
	unlink(path);
}

/* The events in the spool: a standing condition, and a healthy event. */
static const char *const events[] = {
	"{\"kind\":\"event\",\"id\":\"s-1\",\"source\":\"s\",\"seq\":1,\"nodeName\":\"n\","
	"\"checkName\":\"c\",\"errorCode\":[\"a\"],\"isFatal\":true,\"isHealthy\":false}\n",
	"{\"kind\":\"event\",\"id\":\"s-2\",\"source\":\"s\",\"seq\":2,\"nodeName\":\"n\","
	"\"checkName\":\"c\",\"errorCode\":[\"b\"],\"isFatal\":false,\"isHealthy\":true,"
	"\"generatedTimestamp\":\"2026-01-02T03:04:05.000000Z\"}\n",
};

static void
begin(void)
{
	struct sources sources = {0};
	snprintf(path, sizeof path, "/tmp/fuzz_acks.%d", (int)getpid());
	assert(atexit(remove_file) == 0);
	spool_init(&spool, DATABASE_IN_MEMORY);
	assert(spool_open(&spool, &sources) == DATABASE_OK);
	sources_fini(&sources);
	assert(spool_begin_events(&spool) == DATABASE_OK);
	for (uint64_t i = 0; i < 2; i++)
		assert(spool_add_line(&spool, i + 1, events[i], strlen(events[i]), 1) ==
			DATABASE_OK);
	assert(spool_commit_events(&spool, 2, NULL) == DATABASE_OK);
}

static void
write_file(const void *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	close(fd);
}

static void
check_round(const struct acks *acks)
{
	struct acks again;
	assert(acks_write(path, acks->seqs, acks->delivered, acks->standing, acks->receiver) == 0);
	assert(acks_read(&again, path) == 0);
	assert(json_equal(acks->seqs, again.seqs) && json_equal(acks->delivered, again.delivered));
	assert((acks->standing == NULL) == (again.standing == NULL));
	assert(strcmp(acks->receiver, again.receiver) == 0 && again.tells_delivered);
	acks_fini(&again);
}

/* Check the state of emit's sources before it can read its spool. */
static void
check_sources(const struct acks *acks)
{
	struct sources sources = {0};
	const char *name;
	json_t *value;
	json_object_foreach (acks->seqs, name, value) {
		uint64_t seq = acks_seq(acks->seqs, name);
		assert(sources_restore_acks(&sources, name, seq, acks_seq(acks->delivered, name)) ==
			0);
		const struct source *source = sources_find(&sources, name);
		assert(source != NULL && source->delivered <= source->acked);
		assert(source->acked == seq && source->stored == 0);
	}
	sources_fini(&sources);
}

/* Restoring a second time must not change anything. */
static void
check_keepsake(const struct acks *acks)
{
	enum database_status status = DATABASE_OK;
	assert(sqlite3_exec(spool.database.db,
		       "DELETE FROM condition WHERE id > 1;"
		       "UPDATE condition SET closed = NULL, closed_ns = NULL, closed_by = NULL;"
		       "DELETE FROM meta WHERE name IN ('boot_id', 'keepsake')",
		       NULL, NULL, NULL) == SQLITE_OK);
	spool.restored = 0;
	keepsake_follow(&spool, acks->standing);
	assert(keepsake_restore(&spool, acks->standing, acks->seqs) == DATABASE_OK);
	json_t *once = keepsake_new(&spool, &status);
	assert(once != NULL && status == DATABASE_OK);
	assert(keepsake_restore(&spool, once, acks->seqs) == DATABASE_OK);
	json_t *twice = keepsake_new(&spool, &status);
	assert(json_integer_value(json_object_get(once, "serial")) <
		json_integer_value(json_object_get(twice, "serial")));
	json_object_del(once, "serial");
	json_object_del(twice, "serial");
	assert(json_equal(once, twice));
	json_decref(once);
	json_decref(twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct acks acks;
	struct stat seen = {0}, now;
	if (*path == '\0')
		begin();
	write_file(data, size);
	assert(atomfile_has_changed(path, &seen, &now) && !atomfile_has_changed(path, &now, &seen));
	if (acks_read(&acks, path) < 0) {
		char reason[OWNFILE_REASON_SIZE];
		acks_explain(path, errno, reason);
		assert(strcmp(reason, "not an acks file") == 0);
		return 0;
	}
	check_sources(&acks);
	check_round(&acks);
	check_keepsake(&acks);
	acks_fini(&acks);
	return 0;
}
