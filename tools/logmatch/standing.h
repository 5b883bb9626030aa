/* standing - what was reported of a function and has not been answered: who recovers, recovers from these. Pure. */
#ifndef LOGMATCH_STANDING_H
#define LOGMATCH_STANDING_H

#include "logpattern.h"
#include "pciaddr.h"

/* Conditions that are remembered at once; beyond that the oldest is forgotten. */
#define STANDING_MAX 256

/* Room for the id of an event and a NUL: 16 digits, a dash, 20 digits. */
#define STANDING_ID_SIZE 40

/* Room for the name of a firmware command and a NUL; the longest of the driver's is shorter. */
#define STANDING_COMMAND_SIZE 64

struct standing_entry {
	char pci[PCIADDR_SIZE];
	enum logpattern pattern;
	char id[STANDING_ID_SIZE]; /* of the event that reported it last */
	char command
		[STANDING_COMMAND_SIZE]; /* of a command that timed out: `ENABLE_HCA(0x104)`; "" */
};

struct standing {
	struct standing_entry entries[STANDING_MAX]; /* oldest first */
	size_t count;
};

/* The function has the condition, for the first time or again. */
void standing_add(struct standing *standing, const struct standing_entry *entry);

/* Takes out what stands for the function and `answers` says is answered, into `out` (room for LOGPATTERN_N), in the order of the patterns. Returns how many. */
size_t standing_take(struct standing *standing, const char *pci,
	bool (*answers)(enum logpattern pattern), struct standing_entry *out);

/* The function's condition with this command, or NULL. Which command it is must be certain: when it is "", there is one condition of the pattern only. */
const struct standing_entry *standing_find(const struct standing *standing, const char *pci,
	enum logpattern pattern, const char *command);

/* An event has got another id. */
void standing_rename(struct standing *standing, const char *old_id, const char *new_id);

/* The command that a message is about, `NAME(0x..)`; "" when it names none. */
void standing_command(const char *text, size_t length, char out[STANDING_COMMAND_SIZE]);

#endif
