/* natural - the order people expect of names: mlx5_2 before mlx5_10. */
#ifndef NHM_NATURAL_H
#define NHM_NATURAL_H

/* <0, 0, >0 like strcmp(). Runs of digits compare as numbers of any length; where two names differ only in
 * leading zeros the plain byte order decides, so that different names never compare equal. */
int natural_compare(const char *a, const char *b);

#endif
