/* record - makes records of a read (records#records-of-lnet). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_RECORD_H
#define NHM_LNETREAD_RECORD_H

#include "clock.h"
#include "lnet.h"

#include <jansson.h>

/* Each returns a new record, or NULL if memory runs out. */
json_t *record_ni_new(const struct lnet_ni *ni, const struct clock_moment *when);
json_t *record_peers_new(const struct lnet_peers *peers, const struct clock_moment *when);
json_t *record_statistics_new(const struct lnet *lnet, const struct clock_moment *when);
json_t *record_end_new(const struct lnet *lnet, const struct clock_moment *when);

#endif
