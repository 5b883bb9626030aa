/* devicecheck - devices and ports that are gone, and devices that cannot be read: SPEC sections 4.2 and 4.3. */
#ifndef CTREVAL_DEVICECHECK_H
#define CTREVAL_DEVICECHECK_H

#include "evaluation.h"

/* Judges every device that is watched or was; nothing while the first verdicts wait. */
void devicecheck_judge(struct evaluation *evaluation);

/* Explains why the devices that are not watched are not. */
void devicecheck_explain_others(struct evaluation *evaluation);

#endif
