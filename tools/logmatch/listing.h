/* listing - the patterns, for people. */
#ifndef LOGMATCH_LISTING_H
#define LOGMATCH_LISTING_H

/* Writes a line for each pattern to stdout: name, set, severity, and the expressions that find it. 0, or -1 with errno. */
int listing_print(void);

#endif
