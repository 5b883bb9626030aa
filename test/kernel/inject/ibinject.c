/* ibinject - hands an event to the kernel's RDMA core as a driver would. Only for tests, in a
 * virtual machine. Loading it always fails, so nothing of it stays:
 *
 *   insmod ibinject.ko device=rxe0 event=8 port=1    of a device, to all who listen
 *   insmod ibinject.ko device=rxe0 event=1 qp=17     of a queue pair, to who has made it
 *
 * `event` is one of enum ib_event_type, include/rdma/ib_verbs.h. */
/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

static char *device = "rxe0";
static int event = IB_EVENT_PORT_ERR;
static int port = 1;
static int qp;
module_param(device, charp, 0);
module_param(event, int, 0);
module_param(port, int, 0);
module_param(qp, int, 0);

static int
tell_owner(struct ib_device *ib, struct ib_event *what)
{
	struct rdma_restrack_entry *entry = rdma_restrack_get_byid(ib, RDMA_RESTRACK_QP, qp);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	what->element.qp = container_of(entry, struct ib_qp, res);
	if (what->element.qp->event_handler != NULL)
		what->element.qp->event_handler(what, what->element.qp->qp_context);
	rdma_restrack_put(entry);
	return -EAGAIN;
}

static int __init
ibinject_init(void)
{
	struct ib_device *ib = ib_device_get_by_name(device, RDMA_DRIVER_UNKNOWN);
	int status = -EAGAIN;

	if (ib == NULL)
		return -ENODEV;
	struct ib_event what = {.device = ib, .event = event};
	if (qp != 0) {
		status = tell_owner(ib, &what);
	} else {
		what.element.port_num = port;
		ib_dispatch_event(&what);
	}
	ib_device_put(ib);
	return status;
}

module_init(ibinject_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Hands events to the RDMA core; for tests");
