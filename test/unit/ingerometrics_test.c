/* Unit tests of ingerometrics: metrics under the names of Ingero's agent. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "ingerometrics.h"

#include "check.h"
#include "pagetext.h"

static void
show(struct metrics *metrics, const char *port)
{
	static const char begin[] = "{'kind':'scan.begin','scan':1,'ts':'T','boottime_ns':1}";
	struct scan scan = {0};
	struct rec_error error;
	CHECK_INT(scan_accept(&scan, SCANREC_BEGIN, check_json_new(begin), &error), SCAN_ACCEPTED);
	CHECK_INT(scan_accept(&scan, SCANREC_DEVICE,
			  check_json_new("{'kind':'device','scan':1,'device':'mlx5_0','ports':1}"),
			  &error),
		SCAN_ACCEPTED);
	CHECK_INT(scan_accept(&scan, SCANREC_PORT, check_json_new(port), &error), SCAN_ACCEPTED);
	metrics_begin(metrics);
	ingerometrics_set(&scan, metrics);
	metrics_end(metrics);
	scan_fini(&scan);
}

#define PORT(counters) \
	"{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'mlx5_0','port':1," \
	"'link_layer':'InfiniBand','counters':{" counters "}}"
#define LABELS "{rdma_device=\"mlx5_0\",rdma_port=\"1\",rdma_transport=\"InfiniBand\"} "

static void
counters(void)
{
	struct metrics_page page;
	CHECK_INT(metrics_page_init(&page, "t"), 0);
	struct metrics *metrics = metrics_open(page.fd);
	show(metrics, PORT("'port_rcv_errors':1,'symbol_error':2,'link_downed':3,"
			   "'port_xmit_discards':4,'local_link_integrity_errors':5,'other':6"));
	CHECK_STR(pagetext(&page), "ingero_rdma_port_rcv_errors" LABELS "1\n"
				   "ingero_rdma_symbol_error" LABELS "2\n"
				   "ingero_rdma_link_downed" LABELS "3\n"
				   "ingero_rdma_port_xmit_discards" LABELS "4\n"
				   "ingero_rdma_local_link_integrity_errors" LABELS "5\n");
	show(metrics, PORT("'link_downed':7,'symbol_error':null"));
	CHECK_STR(pagetext(&page), "ingero_rdma_link_downed" LABELS "7\n");
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static void
events(void)
{
	struct metrics_page page;
	CHECK_INT(metrics_page_init(&page, "t"), 0);
	struct metrics *metrics = metrics_open(page.fd);
	ingerometrics_count(metrics, "PORT_ACTIVE", false, 2);
	ingerometrics_count(metrics, "PORT_ERR", true, 1);
	ingerometrics_count(metrics, "PORT_ACTIVE", false, 1);
	CHECK_STR(pagetext(&page),
		"ingero_rdma_async_event_total{rdma_event_type=\"IBV_EVENT_PORT_ACTIVE\","
		"rdma_fabric_error=\"false\"} 3\n"
		"ingero_rdma_async_event_total{rdma_event_type=\"IBV_EVENT_PORT_ERR\","
		"rdma_fabric_error=\"true\"} 1\n");
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static const struct check_test tests[] = {
	{"only the counters that were read of a port are shown", counters},
	{"events are counted by type and by whether they are failures", events},
};

CHECK_MAIN(tests)
