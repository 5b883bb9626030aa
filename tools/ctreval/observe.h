/* observe - which devices and ports a scan has: what the judgements compare it with. */
#ifndef CTREVAL_OBSERVE_H
#define CTREVAL_OBSERVE_H

#include "evaluation.h"

/* Takes in which devices and judged ports the scan has, under which names. To be called first. */
void observe_scan(struct evaluation *evaluation);

/* Devices that could not be read when the baseline was made owe theirs. */
void observe_owe_baselines(struct evaluation *evaluation);

/* Those of them that this scan has read have had it now. */
void observe_settle_baselines(struct evaluation *evaluation);

#endif
