/* live - scans of this node, by an ibscan of our own. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_LIVE_H
#define NICVIEW_LIVE_H

#include "arguments.h"
#include "metrics.h"
#include "scanwriter.h"

/* Starts the ibscan beside this program with `arguments`, and hands what it writes to `writer`
 * until it ends. A request to stop (stop_catch()) is passed on to it, and the scan in progress
 * waited for. A scan that ibscan does not finish is not written: it says nothing about devices.
 * `metrics` (nullable) gets on with each scan. What goes wrong is said on stderr, by ibscan or
 * here; returns the exit code, ibscan's where it is not 0. */
int live_run(const struct arguments *arguments, struct scanwriter *writer, struct metrics *metrics);

#endif
