/* scans - splits arbitrary bytes into scans, like the programs that collect whole scans. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCANS_H
#define SCANS_H

#include "../unit/readall.h"
#include "scan.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

/* Finish a scan that was cut off, if there is one. */
static inline void
scans_cut(struct scan *scan, void (*finished)(struct scan *scan, void *context), void *context)
{
	if (!scan->open)
		return;
	scan->whole = false;
	finished(scan, context);
}

/* Call `finished` for each scan; it must clear the scan. A scan that was cut off is not whole. */
static inline void
scans_read(struct scan *scan, const uint8_t *data, size_t size,
	void (*finished)(struct scan *scan, void *context), void *context)
{
	struct intake intake;
	struct intake_record record;
	struct rec_error error;

	int fd = memfd_create("input", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	intake_init(&intake, fd, "input");
	for (enum intake_status status; (status = read_record(&intake, &record)) != INTAKE_END;) {
		assert(status == INTAKE_RECORD || status == INTAKE_LOST);
		if (status == INTAKE_LOST) {
			scan->whole = false;
			continue;
		}
		enum scanrec_kind kind = scanrec_kind(record.json);
		if (kind == SCANREC_BEGIN)
			scans_cut(scan, finished, context);
		enum scan_status read = scan_accept(scan, kind, record.json, &error);
		assert(read != SCAN_NO_MEMORY);
		if (read == SCAN_FINISHED || (read == SCAN_BAD && kind == SCANREC_END))
			finished(scan, context);
	}
	intake_fini(&intake);
	close(fd);
	scans_cut(scan, finished, context);
}

#endif
