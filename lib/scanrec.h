/* scanrec - checks and decodes the scan records (records#scan-records).
 *
 * Strings and json_t in these structs belong to the record from which they were decoded. A nullable
 * string is NULL if the record has null or no such field. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SCANREC_H
#define NHM_SCANREC_H

#include "chardev.h"
#include "num.h"
#include "rec.h"
#include "vendor.h"

enum scanrec_kind {
	SCANREC_BEGIN,
	SCANREC_DEVICE,
	SCANREC_PORT,
	SCANREC_END,
	SCANREC_STALL, /* may come between any two of these; belongs to no scan */
	SCANREC_OTHER, /* any other kind: pass it on */
};

struct scanrec_begin {
	int64_t scan;
	const char *node;    /* nullable */
	const char *boot_id; /* nullable, never "" */
	const char *ts;
	uint64_t boottime_ns;
	int64_t interval_ms;
	bool extra; /* extra scan between two others: only the states of some devices */
};

struct scanrec_device {
	int64_t scan;
	const char *device;
	const char *pci;    /* nullable */
	const char *vendor; /* nullable */
	const char *driver; /* nullable, like the next one */
	const char *driver_version;
	const char *hca_type; /* nullable */
	const char *fw_ver;   /* nullable, like the next two */
	const char *board_id;
	const char *node_guid;
	const char *pci_link_speed; /* nullable: `32.0 GT/s PCIe` */
	int64_t pci_link_width;     /* lanes; 0: unknown */
	const char *error;          /* NULL: the device was read in full */
	int64_t numa_node;          /* -1: unknown */
	bool vf;                    /* a virtual function, or a subfunction */
	/* nullable: the device of which this is a part, whose ports are then planes */
	const char *parent;
	const json_t *netdevs; /* array, or NULL */
	int64_t ports;         /* port records that follow */
	enum chardev_sight uverbs;
	int64_t in_flight_ms;  /* how long the current read has taken; -1: no read is under way */
	const char *in_flight; /* nullable: kind of that read, "state" or "counter" */
	/* topoclass' annotation */
	const char *role;   /* nullable */
	const char *reason; /* nullable */
	const char *card;   /* nullable */
	bool monitored;     /* true when not annotated */
};

struct scanrec_port {
	int64_t scan;
	const char *ts;
	uint64_t boottime_ns;
	const char *device;
	int64_t port;
	const char *link_layer; /* nullable */
	/* vendor of the port's device, set by scan_accept(); always VENDOR_AMAZON for EFA ports */
	enum vendor vendor;
	/* nullable, like the next two; for an EFA port derived from its network interface, because
	 * the driver always shows the same (spec#efa) */
	const char *state;
	const char *phys_state;
	const char *operstate;
	const char *netdev;
	const char *rate;                /* as in sysfs: `400 Gb/sec (4X NDR)` */
	double rate_gbps;                /* 0: unknown */
	int64_t lid;                     /* 0: unknown */
	int64_t carrier;                 /* of an EFA port's interface: 0 or 1; -1: unknown */
	int64_t state_id, phys_state_id; /* -1: unknown */
	const json_t *gids;              /* object; NULL: the GID table was not read */
	/* object, or NULL; indexed by counter group key: see counter_group_key() */
	const json_t *counters, *hw_counters, *device_hw_counters, *net;
	enum chardev_sight umad, issm;
	/* topoclass' annotation */
	const char *role; /* nullable */
	const char *card; /* nullable */
	bool monitored;   /* true when not annotated */
};

struct scanrec_end {
	int64_t scan;
	const char *ts; /* nullable */
	int64_t devices, ports;
	int64_t duration_us;     /* -1: not in the record */
	bool complete;           /* every device listed was read in full */
	const char *error;       /* NULL: the class directory could be listed */
	const json_t *unbound;   /* array of PCI addresses; NULL: not looked for */
	const json_t *functions; /* array, for scanrec_function(); NULL: not looked for */
	const json_t *elsewhere; /* array of devices in other network namespaces; NULL: none */
	/* NULL: the class directories of character devices could be listed, or were not needed */
	const char *verbs_error, *mad_error;
};

struct scanrec_stall {
	const char *node; /* nullable */
	const char *ts;
	uint64_t boottime_ns;
	int64_t in_flight_ms; /* how long the scan has been under way */
};

/* Default limit for a read under way, after which NICs count as not observable. */
#define SCANREC_STALL_DEADLINE_NS (10 * NUM_NS_PER_S)

/* State of a PCI function. */
enum scanrec_function {
	SCANREC_FUNCTION_UNKNOWN,
	SCANREC_FUNCTION_OFF,     /* not on the bus */
	SCANREC_FUNCTION_UNBOUND, /* on the bus, without a driver */
	SCANREC_FUNCTION_BOUND,   /* on the bus, bound to a driver */
};

/* Return what scan.end says about the function at PCI address `pci`, whose device is missing in the
 * scan. Do not ask about virtual functions: they are not in the list. Set `*driver` to the
 * driver's name, borrowed from the record, or NULL. A function that may be on the bus, but whose
 * driver is not known, is SCANREC_FUNCTION_UNKNOWN. */
enum scanrec_function scanrec_function(
	const struct scanrec_end *end, const char *pci, const char **driver);

/* Return whether a function with this driver (nullable) was passed to a virtual machine or to a
 * program: it then has no RDMA device, and nothing is wrong with it. */
bool scanrec_is_passed_on(const char *driver);

/* Return the kind of a record. */
enum scanrec_kind scanrec_kind(const json_t *record);

/* Each returns true, or false with `*error` if the record is invalid. */
bool scanrec_decode_begin(const json_t *record, struct scanrec_begin *out, struct rec_error *error);
bool scanrec_decode_device(
	const json_t *record, struct scanrec_device *out, struct rec_error *error);
bool scanrec_decode_port(const json_t *record, struct scanrec_port *out, struct rec_error *error);
bool scanrec_decode_end(const json_t *record, struct scanrec_end *out, struct rec_error *error);
bool scanrec_decode_stall(const json_t *record, struct scanrec_stall *out, struct rec_error *error);

/* The same with a cache, see rec_decode_known(). */
bool scanrec_decode_known_device(const json_t *record, struct scanrec_device *out,
	struct rec_memo *memo, struct rec_error *error);
bool scanrec_decode_known_port(const json_t *record, struct scanrec_port *out,
	struct rec_memo *memo, struct rec_error *error);

#endif
