/* scanrec - the scan records (records#scan-records), checked and decoded for the tools that read
 * them.
 *
 * Every string and json_t in these structs belongs to the record they were decoded from. A nullable
 * string is NULL when the record has null or no such field. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SCANREC_H
#define NHM_SCANREC_H

#include "chardev.h"
#include "rec.h"
#include "vendor.h"

enum scanrec_kind {
	SCANREC_BEGIN,
	SCANREC_DEVICE,
	SCANREC_PORT,
	SCANREC_END,
	SCANREC_STALL, /* between any two of these: it belongs to no scan */
	SCANREC_OTHER, /* a kind for somebody else: pass it on */
};

struct scanrec_begin {
	int64_t scan;
	const char *node;    /* nullable */
	const char *boot_id; /* nullable, and never "" */
	const char *ts;
	uint64_t boottime_ns;
	int64_t interval_ms;
	bool extra; /* between two scans: the states of some devices only */
};

struct scanrec_device {
	int64_t scan;
	const char *device;
	const char *pci;    /* nullable */
	const char *vendor; /* nullable */
	const char *driver; /* nullable, as the one below */
	const char *driver_version;
	const char *hca_type; /* nullable */
	const char *fw_ver;   /* nullable, as the two below */
	const char *board_id;
	const char *node_guid;
	const char *pci_link_speed; /* nullable: `32.0 GT/s PCIe` */
	int64_t pci_link_width;     /* lanes; 0: not known */
	const char *error;          /* nullable: it was read in full */
	int64_t numa_node;          /* -1: unknown */
	bool vf;                    /* a virtual function, or a subfunction */
	const char
		*parent; /* nullable: the device that this one is a part of: its ports are planes */
	const json_t *netdevs; /* array, or NULL */
	int64_t ports;         /* port records that follow */
	enum chardev_sight uverbs;
	int64_t in_flight_ms;  /* for how long it has not answered; -1: no reading is under way */
	const char *in_flight; /* nullable: what is being read, "state" or "counter" */
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
	/* of its device, which scan_accept() knows; VENDOR_AMAZON of an EFA port */
	enum vendor vendor;
	/* nullable, as the two below; of an EFA port what its interface says, for the driver's is
	 * always the same (spec#efa) */
	const char *state;
	const char *phys_state;
	const char *operstate;
	const char *netdev;
	const char *rate;                /* as sysfs has it: `400 Gb/sec (4X NDR)` */
	double rate_gbps;                /* 0: not known */
	int64_t lid;                     /* the same */
	int64_t carrier;                 /* of an EFA port's interface: 0 or 1; -1: not known */
	int64_t state_id, phys_state_id; /* -1: not known */
	const json_t *gids;              /* object, or NULL: the GID table was not read */
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
	const char *error;       /* nullable: the class directory could be listed */
	const json_t *unbound;   /* array of PCI addresses, or NULL: not looked for */
	const json_t *functions; /* array, for scanrec_function(); NULL: not looked for */
	/* nullable: the class directories of character devices could be listed, or did not need to
	 * be */
	const char *verbs_error, *mad_error;
};

struct scanrec_stall {
	const char *node; /* nullable */
	const char *ts;
	uint64_t boottime_ns;
	int64_t in_flight_ms; /* for how long the scan has been under way */
};

/* For how long a read may be under way until NICs count as not to be observed, by default. */
#define SCANREC_STALL_DEADLINE_NS (UINT64_C(10) * 1000 * 1000 * 1000)

/* Where a PCI function is. */
enum scanrec_function {
	SCANREC_FUNCTION_UNKNOWN,
	SCANREC_FUNCTION_OFF,     /* not on the bus */
	SCANREC_FUNCTION_UNBOUND, /* on the bus, no driver has it */
	SCANREC_FUNCTION_BOUND,   /* on the bus, a driver has it */
};

/* What scan.end says of the function at PCI address `pci`, of a device that is missing in its scan.
 * Virtual functions are not in that list; do not ask about them. `*driver` (unless NULL) becomes
 * the name of the driver, which belongs to the record, or NULL. A function that may be on the bus,
 * but about whose driver nothing is known, is UNKNOWN. */
enum scanrec_function scanrec_function(
	const struct scanrec_end *end, const char *pci, const char **driver);

/* What a record is, by its kind. */
enum scanrec_kind scanrec_kind(const json_t *record);

/* Each returns true, or false with `*error` when the record is not what its kind promises. */
bool scanrec_decode_begin(const json_t *record, struct scanrec_begin *out, struct rec_error *error);
bool scanrec_decode_device(
	const json_t *record, struct scanrec_device *out, struct rec_error *error);
bool scanrec_decode_port(const json_t *record, struct scanrec_port *out, struct rec_error *error);
bool scanrec_decode_end(const json_t *record, struct scanrec_end *out, struct rec_error *error);
bool scanrec_decode_stall(const json_t *record, struct scanrec_stall *out, struct rec_error *error);

/* The same with a memo, see rec_decode_known(). */
bool scanrec_decode_known_device(const json_t *record, struct scanrec_device *out,
	struct rec_memo *memo, struct rec_error *error);
bool scanrec_decode_known_port(const json_t *record, struct scanrec_port *out,
	struct rec_memo *memo, struct rec_error *error);

#endif
