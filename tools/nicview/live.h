/* live - scans this node with a child process, ibscan. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_LIVE_H
#define NICVIEW_LIVE_H

#include "arguments.h"
#include "metrics.h"
#include "scanwriter.h"

/* Start ibscan from this program's directory with `arguments`, and pass its output to `writer`
 * until it ends. A stop request (stop_catch()) is passed on, and the current scan may finish. A
 * scan that ibscan does not finish is not written, because devices may be missing from it.
 * `metrics` (may be NULL) ticks with each scan. Errors are reported by ibscan or here. Return the
 * exit code, that of ibscan if it is not 0. */
int live_run(const struct arguments *arguments, struct scanwriter *writer, struct metrics *metrics);

#endif
