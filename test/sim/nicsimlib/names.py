# SPDX-License-Identifier: Apache-2.0
"""The kernel's names of counters, states and network statistics. Data only."""

# ports/N/counters of mlx5 (IB core, drivers/infiniband/core/sysfs.c).
COUNTERS = (
    "VL15_dropped",
    "excessive_buffer_overrun_errors",
    "link_downed",
    "link_error_recovery",
    "local_link_integrity_errors",
    "multicast_rcv_packets",
    "multicast_xmit_packets",
    "port_rcv_constraint_errors",
    "port_rcv_data",
    "port_rcv_errors",
    "port_rcv_packets",
    "port_rcv_remote_physical_errors",
    "port_rcv_switch_relay_errors",
    "port_xmit_constraint_errors",
    "port_xmit_data",
    "port_xmit_discards",
    "port_xmit_packets",
    "port_xmit_wait",
    "symbol_error",
    "unicast_rcv_packets",
    "unicast_xmit_packets",
)

# ports/N/hw_counters of a ConnectX-6 or -7, on either link layer.
HW_COUNTERS = (
    "duplicate_request",
    "implied_nak_seq_err",
    "local_ack_timeout_err",
    "out_of_buffer",
    "out_of_sequence",
    "packet_seq_err",
    "req_cqe_error",
    "req_cqe_flush_error",
    "req_remote_access_errors",
    "req_remote_invalid_request",
    "req_rnr_retries_exceeded",
    "req_transport_retries_exceeded",
    "resp_cqe_error",
    "resp_cqe_flush_error",
    "resp_local_length_error",
    "resp_remote_access_errors",
    "rnr_nak_retry_err",
    "roce_adp_retrans",
    "roce_adp_retrans_to",
    "roce_slow_restart",
    "roce_slow_restart_cnps",
    "roce_slow_restart_trans",
    "rx_atomic_requests",
    "rx_dct_connect",
    "rx_icrc_encapsulated",
    "rx_read_requests",
    "rx_write_requests",
)

# Congestion control: on Ethernet ports only.
ROCE_HW_COUNTERS = ("np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled", "rp_cnp_ignored")

# A file among the hw_counters that is a setting: how long they are cached.
LIFESPAN = "lifespan"
LIFESPAN_MS = 12

# hw_counters of an EFA adapter, and ports/N/hw_counters of its port, where there are no counters/
# (drivers/infiniband/hw/efa/efa_verbs.c).
EFA_DEVICE_COUNTERS = (
    "alloc_pd_err",
    "alloc_ucontext_err",
    "cmds_err",
    "completed_cmds",
    "create_ah_err",
    "create_cq_err",
    "create_qp_err",
    "keep_alive_rcvd",
    "mmap_err",
    "no_completion_cmds",
    "reg_mr_err",
    "submitted_cmds",
)
EFA_PORT_COUNTERS = (
    "impaired_remote_conn_events",
    "rdma_read_bytes",
    "rdma_read_resp_bytes",
    "rdma_read_wr_err",
    "rdma_read_wrs",
    "rdma_write_bytes",
    "rdma_write_recv_bytes",
    "rdma_write_wr_err",
    "rdma_write_wrs",
    "recv_bytes",
    "recv_wrs",
    "retrans_bytes",
    "retrans_pkts",
    "retrans_timeout_events",
    "rx_bytes",
    "rx_drops",
    "rx_pkts",
    "send_bytes",
    "send_wrs",
    "tx_bytes",
    "tx_pkts",
    "unresponsive_remote_events",
)

# ports/N/hw_counters of other vendors' NICs, which have no counters/, by their drivers
# (drivers/infiniband/hw/bnxt_re/hw_counters.c before Linux 6.18; what the firmware of ionic names;
# drivers/infiniband/hw/irdma/verbs.c). The errors, and a few others.
OTHER_PORT_COUNTERS = {
    "bnxt_en": (
        "active_qps",
        "bad_resp_err",
        "dup_req",
        "local_protection_err",
        "local_qp_op_err",
        "max_retry_exceeded",
        "mem_mgmt_op_err",
        "missing_resp",
        "oos_drop_count",
        "remote_access_err",
        "remote_invalid_req_err",
        "remote_op_err",
        "res_cmp_err",
        "res_mem_err",
        "res_rx_pci_err",
        "res_tx_pci_err",
        "rnr_naks_rcvd",
        "rx_bytes",
        "rx_cnp_pkts",
        "rx_ecn_marked_pkts",
        "rx_out_of_buffer",
        "rx_pkts",
        "seq_err_naks_rcvd",
        "to_retransmits",
        "tx_bytes",
        "tx_cnp_pkts",
        "tx_pkts",
        "unrecoverable_err",
    ),
    "ionic": (
        "req_rx_cqe_err",
        "req_rx_impl_nak_seq_err",
        "req_rx_pkt_seq_err",
        "req_rx_rnr_retry_err",
        "req_tx_loc_oper_err",
        "req_tx_retry_excd_err",
        "resp_rx_cqe_err",
        "resp_rx_dup_request",
        "resp_rx_outof_buf",
        "resp_rx_outouf_seq",
        "rx_rdma_cnp_pkts",
        "rx_rdma_ecn_pkts",
        "rx_rdma_ucast_bytes",
        "rx_rdma_ucast_pkts",
        "tx_rdma_ack_timeout",
        "tx_rdma_cnp_pkts",
        "tx_rdma_retx_pkts",
        "tx_rdma_ucast_bytes",
        "tx_rdma_ucast_pkts",
    ),
    "ice": (
        "InRdmaReads",
        "InRdmaWrites",
        "OutRdmaReads",
        "OutRdmaWrites",
        "RetransSegs",
        "RxECNMrkd",
        "cnpHandled",
        "cnpIgnored",
        "cnpSent",
        "ip4InDiscards",
        "ip4InOctets",
        "ip4OutOctets",
        "rxVlanErrors",
    ),
    "idpf": (
        "CRC errors",
        "InRdmaWrites",
        "Nak Sequence Error",
        "Nak Sequence Error Implied",
        "OutRdmaWrites",
        "RNR received",
        "RNR sent",
        "RTO",
        "Rcvd Out of order packets",
        "RetransSegs",
        "ip4InOctets",
        "ip4OutOctets",
    ),
}

# Drivers whose ports without a link are Disabled (bnxt_re_query_port, irdma_query_port).
NEVER_POLLING = ("bnxt_en", "ice", "i40e", "idpf")

# net/IF/statistics (net/core/net-sysfs.c).
STATISTICS = (
    "collisions",
    "multicast",
    "rx_bytes",
    "rx_compressed",
    "rx_crc_errors",
    "rx_dropped",
    "rx_errors",
    "rx_fifo_errors",
    "rx_frame_errors",
    "rx_length_errors",
    "rx_missed_errors",
    "rx_nohandler",
    "rx_over_errors",
    "rx_packets",
    "tx_aborted_errors",
    "tx_bytes",
    "tx_carrier_errors",
    "tx_compressed",
    "tx_dropped",
    "tx_errors",
    "tx_fifo_errors",
    "tx_heartbeat_errors",
    "tx_packets",
    "tx_window_errors",
)

# Counters that count traffic, not trouble; `show` leaves them out.
TRAFFIC = frozenset(
    name
    for name in COUNTERS + HW_COUNTERS + EFA_DEVICE_COUNTERS + EFA_PORT_COUNTERS + STATISTICS
    if name.endswith(("_packets", "_pkts", "_data", "_bytes", "_requests", "_wrs", "_connect"))
) | {"multicast", LIFESPAN}

PORT_STATES = {"NOP": 0, "DOWN": 1, "INIT": 2, "ARMED": 3, "ACTIVE": 4, "ACTIVE_DEFER": 5}

PHYS_STATES = {
    "Sleep": 1,
    "Polling": 2,
    "Disabled": 3,
    "PortConfigurationTraining": 4,
    "LinkUp": 5,
    "LinkErrorRecovery": 6,
    "Phy Test": 7,
}

OPERSTATES = ("unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up")


def state_text(name):
    """Return the content of ports/N/state for a state's name."""
    return f"{PORT_STATES[name]}: {name}"


def phys_state_text(name):
    """Return the content of ports/N/phys_state for a physical state's name."""
    return f"{PHYS_STATES[name]}: {name}"
