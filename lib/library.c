/* library - loads a shared library at run time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include "opt.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* Return the message of dlerror(3), or opt_no_memory. */
static const char *
fail(struct library *library)
{
	if (errno == ENOMEM)
		return opt_no_memory;
	const char *words = dlerror();
	snprintf(library->reason, sizeof library->reason, "%s",
		words != NULL ? words : "it cannot be loaded");
	return library->reason;
}

/* Initialise OpenSSL here if the library brought it in. If memory runs out during its
 * initialisation, its first use crashes, and the libraries in between do not check for that. */
static bool
openssl_begins(void *handle)
{
	void *(*default_context)(void);
	*(void **)&default_context = dlsym(handle, "OSSL_LIB_CTX_get0_global_default");
	return default_context == NULL || default_context() != NULL;
}

const char *
library_load(struct library *library, const struct library_call *calls, size_t count)
{
	if (library->handle != NULL)
		return NULL;
	errno = 0;
	void *handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL)
		return fail(library);
	for (size_t i = 0; i < count; i++) {
		void *call = dlsym(handle, calls[i].name);
		if (call == NULL)
			return fail(library);
		/* POSIX defines this cast; ISO C has no conversion from an object pointer to a
		 * function pointer. */
		*(void **)calls[i].place = call;
	}
	if (!openssl_begins(handle))
		return opt_no_memory;
	library->handle = handle;
	return NULL;
}
