/* confsysfs - where sysfs is, as the original's configuration names it: by the directories of two of its classes. */
#ifndef NHM_CONFSYSFS_H
#define NHM_CONFSYSFS_H

#include "yamldoc.h"

/* Takes the path of `class` ("infiniband" or "net") in sysfs, and sets `*root`, from malloc, to the root that it is below. What is no such path, or is below another root
 * than `*root`, unless that is NULL, is a problem. */
void confsysfs_take(struct yamldoc *doc, yaml_node_t *node, const char *class, char **root);

#endif
