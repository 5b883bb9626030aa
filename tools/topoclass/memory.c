/* memory - what a run of topoclass remembers from scan to scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

int
memory_init(struct memory *memory)
{
	*memory = (struct memory){.verdicts = json_object(),
		.cards = json_object(),
		.carried_default = json_object(),
		.subs = json_object()};
	return memory->verdicts != NULL && memory->cards != NULL &&
			       memory->carried_default != NULL && memory->subs != NULL
		       ? 0
		       : -1;
}

void
memory_fini(struct memory *memory)
{
	json_decref(memory->verdicts);
	json_decref(memory->cards);
	json_decref(memory->carried_default);
	json_decref(memory->subs);
	*memory = (struct memory){0};
}

/* A verdict as one integer, for keeping. */
static json_int_t
pack(struct verdict verdict)
{
	return ((json_int_t)verdict.reason * ROLE_N + verdict.role) * 2 + verdict.monitored;
}

static struct verdict
unpack(json_int_t packed)
{
	return (struct verdict){
		.role = (enum role)(packed / 2 % ROLE_N),
		.reason = (enum reason)(packed / 2 / ROLE_N),
		.monitored = packed % 2 != 0,
	};
}

bool
memory_verdict(const struct memory *memory, const char *device, struct verdict *verdict)
{
	const json_t *known = json_object_get(memory->verdicts, device);
	if (known != NULL)
		*verdict = unpack(json_integer_value(known));
	return known != NULL;
}

void
memory_keep(struct memory *memory, const char *device, struct verdict verdict)
{
	json_object_set_new(memory->verdicts, device, json_integer(pack(verdict)));
}
