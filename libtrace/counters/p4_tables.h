/*
 * The Pentium 4's performance monitoring, as facts: its 18 counters with their CCCRs, the 45
 * ESCRs, which counter can listen to which ESCR, and the events of the manual's tables of
 * non-retirement and at-retirement counting (Intel's SDM, volume 3B: Table 18-26 and Tables
 * in the edition of p4-counter-setup; the manual's spelling of names).
 */
#ifndef SWT_COUNTERS_P4_TABLES_H
#define SWT_COUNTERS_P4_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------- registers */

enum { P4_COUNTERS = 18, P4_ESCRS = 45, P4_EVENTS = 46, P4_METRICS = 18 };

struct p4_counter {
	const char *name;
	uint32_t msr;
	const char *cccr_name;
	uint32_t cccr_msr;
};

struct p4_escr {
	const char *name;
	uint32_t msr;
	uint8_t select;	   /* its number in the CCCR select field of its counters */
	uint32_t counters; /* those that can listen to it, a bit each */
};

extern const struct p4_counter p4_counters[P4_COUNTERS];
extern const struct p4_escr p4_escrs[P4_ESCRS]; /* by address */

enum p4_escr_index {
	P4_BSU_ESCR0,
	P4_BSU_ESCR1,
	P4_FSB_ESCR0,
	P4_FSB_ESCR1,
	P4_FIRM_ESCR0,
	P4_FIRM_ESCR1,
	P4_FLAME_ESCR0,
	P4_FLAME_ESCR1,
	P4_DAC_ESCR0,
	P4_DAC_ESCR1,
	P4_MOB_ESCR0,
	P4_MOB_ESCR1,
	P4_PMH_ESCR0,
	P4_PMH_ESCR1,
	P4_SAAT_ESCR0,
	P4_SAAT_ESCR1,
	P4_U2L_ESCR0,
	P4_U2L_ESCR1,
	P4_BPU_ESCR0,
	P4_BPU_ESCR1,
	P4_IS_ESCR0,
	P4_IS_ESCR1,
	P4_ITLB_ESCR0,
	P4_ITLB_ESCR1,
	P4_CRU_ESCR0,
	P4_CRU_ESCR1,
	P4_IQ_ESCR0, /* models 1 and 2 only; no event of the tables needs them */
	P4_IQ_ESCR1,
	P4_RAT_ESCR0,
	P4_RAT_ESCR1,
	P4_SSU_ESCR0,
	P4_MS_ESCR0,
	P4_MS_ESCR1,
	P4_TBPU_ESCR0,
	P4_TBPU_ESCR1,
	P4_TC_ESCR0,
	P4_TC_ESCR1,
	P4_IX_ESCR0,
	P4_IX_ESCR1,
	P4_ALF_ESCR0,
	P4_ALF_ESCR1,
	P4_CRU_ESCR2,
	P4_CRU_ESCR3,
	P4_CRU_ESCR4,
	P4_CRU_ESCR5,
};

/* Fields of an ESCR. */
#define P4_ESCR_SELECT_SHIFT 25
#define P4_ESCR_MASK_SHIFT 9
#define P4_ESCR_TAG_SHIFT 5
#define P4_ESCR_TAG_ENABLE 0x10u
#define P4_ESCR_T0_OS 0x8u
#define P4_ESCR_T0_USR 0x4u
#define P4_ESCR_T1_OS 0x2u
#define P4_ESCR_T1_USR 0x1u

/* Fields of a CCCR. */
#define P4_CCCR_ENABLE (1u << 12)
#define P4_CCCR_SELECT_SHIFT 13
#define P4_CCCR_ANY_THREAD (3u << 16) /* without hyper-threading reserved, and must be 11B */
#define P4_CCCR_COMPARE (1u << 18)
#define P4_CCCR_COMPLEMENT (1u << 19)
#define P4_CCCR_THRESHOLD_SHIFT 20
#define P4_CCCR_EDGE (1u << 24)
#define P4_CCCR_FORCE_OVF (1u << 25)
#define P4_CCCR_OVF_PMI_T0 (1u << 26)
#define P4_CCCR_OVF_PMI_T1 (1u << 27)
#define P4_CCCR_CASCADE (1u << 30)

/* Of replay tagging. */
#define P4_MSR_PEBS_ENABLE 0x3f1
#define P4_MSR_PEBS_MATRIX_VERT 0x3f2

/* ---------------------------------------------------------------------- events */

/* A unit mask: a bit of the ESCR's event mask. Bits 16 to 19 are those of the tag value, which
 * marks uops for execution_event. */
struct p4_mask {
	const char *name;
	uint8_t bit;
	const char *what;
};
#define P4_TAG_BIT 16

/* At-retirement events that count uops which something upstream has tagged. */
enum p4_tagging { P4_NO_TAGGING, P4_FRONT_END, P4_EXECUTION, P4_REPLAY };

struct p4_event {
	const char *name;
	uint8_t select;	     /* ESCR event select */
	uint8_t cccr_select; /* as the manual's table of events has it */
	uint8_t escr[2];     /* both the same: there is only one */
	const struct p4_mask *masks;
	size_t mask_count;
	enum p4_tagging tagging;
	bool prescott;	     /* models 3, 4 and 6 only */
	uint16_t perf_lacks; /* event mask bits that Linux's table of the event does not have */
	const char *what;
	const char *note; /* what more there is to know; NULL: nothing */
};

/* In the order of Linux's enum P4_EVENTS: an index is the kernel's code of the event. */
extern const struct p4_event p4_events[P4_EVENTS];

/* What tags uops for one of those events, chosen like a unit mask of it. */
struct p4_metric {
	const char *name;
	enum p4_tagging tagging;
	const char *event;    /* to be selected in an ESCR of its own; NULL: none */
	uint16_t masks;	      /* of that event */
	int8_t only;	      /* which of its two ESCRs; -1: either */
	uint32_t pebs_enable; /* replay tagging: what the two registers get */
	uint32_t matrix_vert;
	uint8_t perf; /* Linux's number of the replay metric */
	const char *what;
};
extern const struct p4_metric p4_metrics[P4_METRICS];

/* By name, letter case aside; NULL: there is none. */
const struct p4_event *p4_event_find(const char *name);
const struct p4_mask *p4_mask_find(const struct p4_event *event, const char *name);
const struct p4_metric *p4_metric_find(const struct p4_event *event, const char *name);

/* The mask that stands where none is given: that of an event which has but one. NULL: one
 * must be given. */
const struct p4_mask *p4_mask_default(const struct p4_event *event);

#endif
