/*
 * Tables of the Pentium 4's performance monitoring: its 18 counters with their CCCRs, the 45
 * ESCRs, which counter can listen to which ESCR, and the events of the manual's tables of
 * non-retirement and at-retirement counting (Intel's SDM, volume 3B: Table 18-26 and Tables
 * in the edition of p4-counter-setup; the manual's spelling of names).
 */
#ifndef SWT_P4_TABLES_H
#define SWT_P4_TABLES_H

#include "../../include/p4counters.h"

/* ------------------------------------------------------------------- registers */

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
#define P4_CCCR_ANY_THREAD (3u << 16) /* reserved without hyper-threading, and must be 11B */
#define P4_CCCR_COMPARE (1u << 18)
#define P4_CCCR_COMPLEMENT (1u << 19)
#define P4_CCCR_THRESHOLD_SHIFT 20
#define P4_CCCR_EDGE (1u << 24)
#define P4_CCCR_FORCE_OVF (1u << 25)
#define P4_CCCR_OVF_PMI_T0 (1u << 26)
#define P4_CCCR_OVF_PMI_T1 (1u << 27)
#define P4_CCCR_CASCADE (1u << 30)

/* Registers of replay tagging. */
#define P4_MSR_PEBS_ENABLE 0x3f1
#define P4_MSR_PEBS_MATRIX_VERT 0x3f2

/* ---------------------------------------------------------------------- events */

/* In the order of Linux's enum P4_EVENTS: the index is the kernel's code of the event. */
extern const struct p4_event p4_events[P4_EVENTS];

extern const struct p4_metric p4_metrics[P4_METRICS];

/* The mask used if none is given: that of an event with only one. NULL: a mask must be given. */
const struct p4_mask *p4_mask_default(const struct p4_event *event);

#endif
