/* fuzz_lnetread - parses arbitrary bytes as the output of lnetctl: it becomes whole records without
 * an address; a malformed read is not complete. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/lnetread/lnet.h"
#include "../../tools/lnetread/reads.h"
#include "../../tools/lnetread/record.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_record(json_t *record, const struct clock_moment *when)
{
	assert(record != NULL);
	assert(strcmp(json_string_value(json_object_get(record, "ts")), when->stamp) == 0);
	char *text = json_dumps(record, JSON_COMPACT);
	assert(text != NULL && strchr(text, '@') == NULL);
	free(text);
	json_decref(record);
}

static void
check_read(const struct read *read)
{
	static struct lnet lnet;
	char reason[LNET_REASON_SIZE];
	struct clock_moment when = read->when;

	assert(lnet_parse(read->text, read->length, read->is_cut, &lnet) == LNET_PARSED);
	assert(lnet.ni_count <= LNET_NIS_MAX);
	int code = lnet_problem(&lnet, reason);
	assert((code == 0) == (*reason == '\0') && strlen(reason) < sizeof reason);
	assert(code == 0 || !lnet_is_complete(&lnet) || *lnet.unreadable != '\0');
	assert(!lnet.is_malformed || !lnet_is_complete(&lnet));
	for (size_t i = 0; i < lnet.ni_count; i++)
		check_record(record_ni_new(&lnet.nis[i], &when), &when);
	check_record(record_peers_new(&lnet.peers, &when), &when);
	check_record(record_statistics_new(&lnet, &when), &when);
	check_record(record_end_new(&lnet, &when), &when);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reads reads;
	struct read read;
	size_t count = 0;
	int fd = memfd_create("read", MFD_CLOEXEC);

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	reads_init(&reads, fd);
	while (reads_next(&reads, &read) == READS_OK) {
		assert(read.length <= size && !read.is_too_long);
		assert(read.header != HEADER_BEGIN || *read.when.stamp != '\0');
		check_read(&read);
		count++;
	}
	assert(count > 0);
	reads_fini(&reads);
	close(fd);
	return 0;
}
