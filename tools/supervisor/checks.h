/* checks - the value of --checks, as the original takes it. Pure. */
#ifndef SUPERVISOR_CHECKS_H
#define SUPERVISOR_CHECKS_H

/* Far more than all names there are. */
#define CHECKS_MAX_BYTES 1024

/* Names, separated by commas. */
struct checks {
	char wanted[CHECKS_MAX_BYTES];   /* for ctreval, which knows them or refuses them */
	char left_out[CHECKS_MAX_BYTES]; /* of the original's those that are not here */
};

/* Sorts the names of a list. White space around names and empty items are nothing. Returns NULL, or why nothing would be checked. */
const char *checks_take(struct checks *checks, const char *list);

#endif
