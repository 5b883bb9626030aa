/* retry - how long to wait before a sink is tried again. */
#include "retry.h"

uint64_t
retry_delay_ms(unsigned attempt, uint32_t random)
{
	uint64_t most = RETRY_FIRST_MS;
	for (unsigned i = 1; i < attempt && most < RETRY_MOST_MS; i++)
		most *= 2;
	if (most > RETRY_MOST_MS)
		most = RETRY_MOST_MS;
	return 1 + random % most;
}
