/* compare - compares two scans device by device. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICDIFF_COMPARE_H
#define NICDIFF_COMPARE_H

#include "scan.h"

/* Kind of the records below. */
#define COMPARE_KIND "difference"

/* Return the differences as an array of records of that kind (records#differences): devices in the
 * order of the earlier scan, then those only in the later one. Devices are paired by name and PCI
 * address (by name alone if neither has an address), then by PCI address, then by GUID. NULL when
 * memory ran out. */
json_t *compare_new(const struct scan *before, const struct scan *after);

/* Return how much later the second scan is, ns; 0 if it is not later, is of another boot, or that
 * is unknown. */
uint64_t compare_elapsed_ns(const struct scan *before, const struct scan *after);

#endif
