/* pass - writes the reads of a descriptor as records to stdout. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pass.h"

#include "diag.h"
#include "reads.h"
#include "record.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void
pass_init(struct pass *pass)
{
	*pass = (struct pass){.code = 0};
	rec_writer_init(&pass->writer, STDOUT_FILENO);
}

void
pass_fini(struct pass *pass)
{
	rec_writer_fini(&pass->writer);
}

/* Write the record and release it. Return 0, or -1 with errno. */
static int
put(struct pass *pass, json_t *record)
{
	if (record == NULL) {
		errno = ENOMEM;
		return -1;
	}
	int status = rec_write(&pass->writer, record);
	int saved_errno = errno;
	json_decref(record);
	errno = saved_errno;
	return status;
}

static int
put_contents(struct pass *pass, const struct clock_moment *when)
{
	const struct lnet *lnet = &pass->lnet;

	for (size_t i = 0; i < lnet->ni_count; i++)
		if (put(pass, record_ni_new(&lnet->nis[i], when)) < 0)
			return -1;
	if (lnet->outcomes[LNET_PEER].is_present &&
		put(pass, record_peers_new(&lnet->peers, when)) < 0)
		return -1;
	if (lnet->outcomes[LNET_STATISTICS].is_present &&
		put(pass, record_statistics_new(lnet, when)) < 0)
		return -1;
	return 0;
}

static int
put_all(struct pass *pass, const struct clock_moment *when)
{
	if (!pass->lnet.is_malformed && put_contents(pass, when) < 0)
		return -1;
	return put(pass, record_end_new(&pass->lnet, when));
}

/* A timer makes a read every minute: print a lasting problem only once. */
static void
report(struct pass *pass, const char *name)
{
	char reason[LNET_REASON_SIZE];
	pass->code = lnet_problem(&pass->lnet, reason);
	if (*reason != '\0' && strcmp(reason, pass->reason) != 0)
		diag_warn("%s: %s", name, reason);
	memcpy(pass->reason, reason, sizeof reason);
}

static int
accept_read(struct pass *pass, const struct read *read, const char *name)
{
	struct clock_moment now;
	const struct clock_moment *when = &read->when;

	enum lnet_status status = lnet_parse(read->text, read->length, read->is_cut, &pass->lnet);
	if (status == LNET_NO_MEMORY)
		return diag_no_memory();
	if (read->is_too_long)
		lnet_refuse(&pass->lnet, "longer than %zu MiB", READS_MAX_BYTES >> 20);
	if (read->header == HEADER_MALFORMED)
		lnet_refuse(&pass->lnet, "the times in its '# lnetread' line cannot be parsed");
	if (read->header != HEADER_BEGIN) {
		clock_now(&now);
		when = &now;
	}
	report(pass, name);
	return put_all(pass, when) < 0 ? diag_io_failure("stdout") : 0;
}

int
pass_all(struct pass *pass, int fd, const char *name)
{
	enum reads_status status;
	struct reads reads;
	struct read read;
	int code = 0;

	reads_init(&reads, fd);
	while (code == 0 && (status = reads_next(&reads, &read)) != READS_END)
		code = status == READS_ERROR ? diag_io_failure(name)
					     : accept_read(pass, &read, name);
	reads_fini(&reads);
	return code;
}
