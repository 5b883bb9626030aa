/* confsysfs - where sysfs is, as the original's configuration names it. */
#include "confsysfs.h"

#include <stdlib.h>
#include <string.h>

/* Length of the root in a path of the form /ROOT/class/CLASS; 0 when it has another form. */
static size_t
root_length(const char *path, const char *class)
{
	static const char parent[] = "/class/";
	size_t length = strlen(path), tail = strlen(parent) + strlen(class);
	while (length > 0 && path[length - 1] == '/')
		length--;
	if (*path != '/' || length <= tail)
		return 0;
	const char *at = path + length - tail;
	if (memcmp(at, parent, strlen(parent)) != 0 ||
		memcmp(at + strlen(parent), class, strlen(class)) != 0)
		return 0;
	return length - tail;
}

void
confsysfs_take(struct yamldoc *doc, yaml_node_t *node, const char *class, char **root)
{
	const char *path = yamldoc_text(doc, node);
	if (path == NULL)
		return;
	size_t length = root_length(path, class);
	if (length == 0) {
		yamldoc_problem(doc, node,
			"\"%s\" is not class/%s below the root of a sysfs, such as /nvsentinel/sys/class/%s",
			path, class, class);
		return;
	}
	if (*root != NULL && (strlen(*root) != length || memcmp(*root, path, length) != 0)) {
		yamldoc_problem(doc, node,
			"\"%s\" is below another root than the other class, which is in %s", path,
			*root);
		return;
	}
	if (*root == NULL)
		*root = strndup(path, length);
	if (*root == NULL)
		yamldoc_problem(doc, node, "out of memory");
}
