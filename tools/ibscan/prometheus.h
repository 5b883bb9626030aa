/* prometheus - a scan in Prometheus' text format, for the textfile collector of node_exporter. */
#ifndef IBSCAN_PROMETHEUS_H
#define IBSCAN_PROMETHEUS_H

#include "scan.h"

#include <stdio.h>

/* Prints the exposition of a scan, finished or not. 0, or -1 with errno when memory runs out or `out` has an error. */
int prometheus_print(const struct scan *scan, FILE *out);

#endif
