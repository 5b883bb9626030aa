/* restart - when a stage that ended is started again. */
#include "restart.h"

#include "num.h"

uint64_t
restart_delay_ns(struct restart *restart, uint64_t uptime_ns)
{
	if (uptime_ns >= RESTART_HEALTHY_S * NUM_NS_PER_S)
		restart->failures = 0;

	uint64_t delay_s = RESTART_FIRST_S;
	for (unsigned i = 0; i < restart->failures && delay_s < RESTART_MOST_S; i++)
		delay_s *= 2;
	restart->failures++;
	return (delay_s < RESTART_MOST_S ? delay_s : RESTART_MOST_S) * NUM_NS_PER_S;
}
