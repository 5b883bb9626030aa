/* devicecheck - devices and ports that are gone, and devices that cannot be read: SPEC sections 4.2 and 4.3. */
#ifndef CTREVAL_DEVICECHECK_H
#define CTREVAL_DEVICECHECK_H

#include "evaluation.h"

/* Takes in which devices and judged ports the scan has. To be called first. */
void devicecheck_observe(struct evaluation *evaluation);

/* Judges every device that is watched or was; nothing while the first verdicts wait. */
void devicecheck_judge(struct evaluation *evaluation);

/* Explains why the devices that are not watched are not. */
void devicecheck_explain_others(struct evaluation *evaluation);

/* Devices that could not be read when the baseline was made owe theirs. */
void devicecheck_owe_baselines(struct evaluation *evaluation);

/* Those of them that this scan has read have had it now. */
void devicecheck_settle_baselines(struct evaluation *evaluation);

#endif
