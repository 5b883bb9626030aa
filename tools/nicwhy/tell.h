/* tell - tells the whole story of a device. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICWHY_TELL_H
#define NICWHY_TELL_H

#include "story.h"

#include <stdio.h>

/* Print lines of at most `columns` characters; 0: a line per paragraph. Return 0, or -1 when memory
 * ran out. */
int tell(const struct story *story, unsigned columns, FILE *out);

#endif
