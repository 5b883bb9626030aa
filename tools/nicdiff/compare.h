/* compare - what differs between two scans, device by device. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICDIFF_COMPARE_H
#define NICDIFF_COMPARE_H

#include "scan.h"

/* The kind of the records below. */
#define COMPARE_KIND "difference"

/* What differs, as an array of records of that kind (records#differences): devices in the order of
 * the earlier scan, then those that only the later one has. A device is the same one by its PCI
 * address, or by its GUID where it has another address, or by its name where it has none. NULL when
 * memory ran out. */
json_t *compare_new(const struct scan *before, const struct scan *after);

/* How much later the second scan is, in nanoseconds; 0: it is not, or of another boot, or that is
 * not known. */
uint64_t compare_elapsed_ns(const struct scan *before, const struct scan *after);

#endif
