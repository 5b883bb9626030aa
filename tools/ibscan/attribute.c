/* attribute - reads one sysfs attribute repeatedly. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute.h"

#include "descriptors.h"

#include <errno.h>
#include <unistd.h>

void
attribute_close(struct attribute *attribute)
{
	if (attribute->fd >= 0) {
		close(attribute->fd);
		descriptors_release(1);
	}
	attribute->fd = -1;
}

bool
attribute_concerns_device(int error)
{
	return error == ENODEV || error == EINTR || error == EMFILE || error == ENFILE ||
	       error == ENOMEM;
}

enum sysfs_status
attribute_read(struct attribute *attribute, int dir, const char *name, char *text, size_t size)
{
	enum sysfs_status status;

	if (attribute->fd >= 0)
		return sysfs_pread(attribute->fd, text, size);

	int fd;
	status = sysfs_open_attribute(dir, name, &fd);
	if (status != SYSFS_OK)
		return status;
	status = sysfs_pread(fd, text, size);
	int saved_errno = errno;
	/* Keep a descriptor only if it can be read again from offset 0, unlike a pipe. */
	if (status == SYSFS_OK && lseek(fd, 0, SEEK_CUR) == 0 && descriptors_reserve(1))
		attribute->fd = fd;
	else
		close(fd);
	errno = saved_errno;
	return status;
}
