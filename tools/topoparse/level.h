/* level - the words of the matrix: how near two devices are to each other. */
#ifndef TOPOPARSE_LEVEL_H
#define TOPOPARSE_LEVEL_H

#include "text.h"

#include <stdint.h>

/* NV<n> is LEVEL_NV + n, n from 1 to LEVEL_NV_MAX. */
enum level {
	LEVEL_NONE,
	LEVEL_X,
	LEVEL_PIX,
	LEVEL_PXB,
	LEVEL_PHB,
	LEVEL_NODE,
	LEVEL_SYS,
	LEVEL_NV = 100,
};

/* A GPU has at most 18 NVLinks so far (NVML_NVLINK_MAX_LINKS, nvml.h). With three digits or more, cells have been glued together. */
#define LEVEL_NV_MAX 99

/* The level word that the span begins with: its length, 0 when there is none. No level word is the beginning of another one, and none
 * begins with a digit, so that glued words have only one meaning; but the digits behind NV are all its own. */
size_t level_take(struct text_span span, uint8_t *level);

/* True when the span is one level word or several glued together; also when an affinity, which begins with a digit, or N/A follows. */
bool level_is_cells(struct text_span span);

/* The word, in `buffer` where it has a number. */
const char *level_text(uint8_t level, char buffer[8]);

#endif
