#include "tables.h"

#include <string.h>
#include <strings.h>

#define COUNTER(unit, n, number)                                                                   \
	{                                                                                          \
		"MSR_" #unit "_COUNTER" #n, 0x300 + (number), "MSR_" #unit "_CCCR" #n,             \
			0x360 + (number)                                                           \
	}

const struct p4_counter p4_counters[P4_COUNTERS] = {
	COUNTER(BPU, 0, 0),
	COUNTER(BPU, 1, 1),
	COUNTER(BPU, 2, 2),
	COUNTER(BPU, 3, 3),
	COUNTER(MS, 0, 4),
	COUNTER(MS, 1, 5),
	COUNTER(MS, 2, 6),
	COUNTER(MS, 3, 7),
	COUNTER(FLAME, 0, 8),
	COUNTER(FLAME, 1, 9),
	COUNTER(FLAME, 2, 10),
	COUNTER(FLAME, 3, 11),
	COUNTER(IQ, 0, 12),
	COUNTER(IQ, 1, 13),
	COUNTER(IQ, 2, 14),
	COUNTER(IQ, 3, 15),
	COUNTER(IQ, 4, 16),
	COUNTER(IQ, 5, 17),
};

#define BIT(n) (1u << (n))
/* The counters of a unit that listen to its even-numbered ESCRs, and to its odd-numbered ones. */
#define BPU_EVEN (BIT(0) | BIT(1))
#define BPU_ODD (BIT(2) | BIT(3))
#define MS_EVEN (BIT(4) | BIT(5))
#define MS_ODD (BIT(6) | BIT(7))
#define FLAME_EVEN (BIT(8) | BIT(9))
#define FLAME_ODD (BIT(10) | BIT(11))
#define IQ_EVEN (BIT(12) | BIT(13) | BIT(16))
#define IQ_ODD (BIT(14) | BIT(15) | BIT(17))

#define ESCR(unit, n, msr, select, counters)                                                       \
	[P4_##unit##_ESCR##n] = {"MSR_" #unit "_ESCR" #n, msr, select, counters}

const struct p4_escr p4_escrs[P4_ESCRS] = {
	ESCR(BSU, 0, 0x3a0, 7, BPU_EVEN),
	ESCR(BSU, 1, 0x3a1, 7, BPU_ODD),
	ESCR(FSB, 0, 0x3a2, 6, BPU_EVEN),
	ESCR(FSB, 1, 0x3a3, 6, BPU_ODD),
	ESCR(FIRM, 0, 0x3a4, 1, FLAME_EVEN),
	ESCR(FIRM, 1, 0x3a5, 1, FLAME_ODD),
	ESCR(FLAME, 0, 0x3a6, 0, FLAME_EVEN),
	ESCR(FLAME, 1, 0x3a7, 0, FLAME_ODD),
	ESCR(DAC, 0, 0x3a8, 5, FLAME_EVEN),
	ESCR(DAC, 1, 0x3a9, 5, FLAME_ODD),
	ESCR(MOB, 0, 0x3aa, 2, BPU_EVEN),
	ESCR(MOB, 1, 0x3ab, 2, BPU_ODD),
	ESCR(PMH, 0, 0x3ac, 4, BPU_EVEN),
	ESCR(PMH, 1, 0x3ad, 4, BPU_ODD),
	ESCR(SAAT, 0, 0x3ae, 2, FLAME_EVEN),
	ESCR(SAAT, 1, 0x3af, 2, FLAME_ODD),
	ESCR(U2L, 0, 0x3b0, 3, FLAME_EVEN),
	ESCR(U2L, 1, 0x3b1, 3, FLAME_ODD),
	ESCR(BPU, 0, 0x3b2, 0, BPU_EVEN),
	ESCR(BPU, 1, 0x3b3, 0, BPU_ODD),
	ESCR(IS, 0, 0x3b4, 1, BPU_EVEN),
	ESCR(IS, 1, 0x3b5, 1, BPU_ODD),
	ESCR(ITLB, 0, 0x3b6, 3, BPU_EVEN),
	ESCR(ITLB, 1, 0x3b7, 3, BPU_ODD),
	ESCR(CRU, 0, 0x3b8, 4, IQ_EVEN),
	ESCR(CRU, 1, 0x3b9, 4, IQ_ODD),
	ESCR(IQ, 0, 0x3ba, 0, IQ_EVEN),
	ESCR(IQ, 1, 0x3bb, 0, IQ_ODD),
	ESCR(RAT, 0, 0x3bc, 2, IQ_EVEN),
	ESCR(RAT, 1, 0x3bd, 2, IQ_ODD),
	ESCR(SSU, 0, 0x3be, 3, IQ_EVEN),
	ESCR(MS, 0, 0x3c0, 0, MS_EVEN),
	ESCR(MS, 1, 0x3c1, 0, MS_ODD),
	ESCR(TBPU, 0, 0x3c2, 2, MS_EVEN),
	ESCR(TBPU, 1, 0x3c3, 2, MS_ODD),
	ESCR(TC, 0, 0x3c4, 1, MS_EVEN),
	ESCR(TC, 1, 0x3c5, 1, MS_ODD),
	ESCR(IX, 0, 0x3c8, 5, BPU_EVEN),
	ESCR(IX, 1, 0x3c9, 5, BPU_ODD),
	ESCR(ALF, 0, 0x3ca, 1, IQ_EVEN),
	ESCR(ALF, 1, 0x3cb, 1, IQ_ODD),
	ESCR(CRU, 2, 0x3cc, 5, IQ_EVEN),
	ESCR(CRU, 3, 0x3cd, 5, IQ_ODD),
	ESCR(CRU, 4, 0x3e0, 6, IQ_EVEN),
	ESCR(CRU, 5, 0x3e1, 6, IQ_ODD),
};

/* The bits of both registers are from the manual's table of replay metrics, which also sets bits 24
 * (uop tagging) and 25 (PEBS) for each metric. */
#define PEBS(bits) ((bits) | BIT(24) | BIT(25))
#define ALL_UOPS BIT(15)

const struct p4_metric p4_metrics[P4_METRICS] = {
	{"TAGLOADS", P4_FRONT_END, "uop_type", BIT(1), -1, 0, 0, 0, "retired loads"},
	{"TAGSTORES", P4_FRONT_END, "uop_type", BIT(2), -1, 0, 0, 0, "retired stores"},
	{"PACKED_SP", P4_EXECUTION, "packed_SP_uop", ALL_UOPS, -1, 0, 0, 0,
		"retired packed single-precision uops"},
	{"PACKED_DP", P4_EXECUTION, "packed_DP_uop", ALL_UOPS, -1, 0, 0, 0,
		"retired packed double-precision uops"},
	{"SCALAR_SP", P4_EXECUTION, "scalar_SP_uop", ALL_UOPS, -1, 0, 0, 0,
		"retired scalar single-precision uops"},
	{"SCALAR_DP", P4_EXECUTION, "scalar_DP_uop", ALL_UOPS, -1, 0, 0, 0,
		"retired scalar double-precision uops"},
	{"MMX_64BIT", P4_EXECUTION, "64bit_MMX_uop", ALL_UOPS, -1, 0, 0, 0,
		"retired 64-bit integer SIMD uops"},
	{"MMX_128BIT", P4_EXECUTION, "128bit_MMX_uop", ALL_UOPS, -1, 0, 0, 0,
		"retired 128-bit integer SIMD uops"},
	{"X87_FP", P4_EXECUTION, "x87_FP_uop", ALL_UOPS, -1, 0, 0, 0,
		"retired x87 floating-point uops"},
	{"L1_LD_MISS", P4_REPLAY, NULL, 0, -1, PEBS(BIT(0)), BIT(0), 1,
		"retired loads that missed the first-level cache"},
	{"L2_LD_MISS", P4_REPLAY, NULL, 0, -1, PEBS(BIT(1)), BIT(0), 2,
		"retired loads that missed the second-level cache"},
	{"DTLB_LD_MISS", P4_REPLAY, NULL, 0, -1, PEBS(BIT(2)), BIT(0), 3,
		"retired loads that missed the data TLB"},
	{"DTLB_ST_MISS", P4_REPLAY, NULL, 0, -1, PEBS(BIT(2)), BIT(1), 4,
		"retired stores that missed the data TLB"},
	{"DTLB_ALL_MISS", P4_REPLAY, NULL, 0, -1, PEBS(BIT(2)), BIT(0) | BIT(1), 5,
		"retired loads and stores that missed the data TLB"},
	{"BR_MSP", P4_REPLAY, NULL, 0, -1, PEBS(BIT(15) | BIT(16)), BIT(4), 6,
		"retired mispredicted branches"},
	{"MOB_LD_REPLAY", P4_REPLAY, "MOB_load_replay", BIT(4) | BIT(5), -1, PEBS(BIT(9)), BIT(0),
		7, "retired loads that the memory order buffer replayed"},
	{"SP_LD_RET", P4_REPLAY, "load_port_replay", BIT(1), 1, PEBS(BIT(10)), BIT(0), 8,
		"retired split loads"},
	{"SP_ST_RET", P4_REPLAY, "store_port_replay", BIT(1), 0, PEBS(BIT(10)), BIT(1), 9,
		"retired split stores"},
};

const struct p4_counter *P4CounterAt(size_t number)
{
	return number < P4_COUNTERS ? &p4_counters[number] : NULL;
}

const struct p4_escr *P4EscrAt(size_t number)
{
	return number < P4_ESCRS ? &p4_escrs[number] : NULL;
}

const struct p4_event *P4EventAt(size_t index)
{
	return index < P4_EVENTS ? &p4_events[index] : NULL;
}

const struct p4_metric *P4MetricAt(size_t index)
{
	return index < P4_METRICS ? &p4_metrics[index] : NULL;
}

bool P4HasEvent(enum p4_model model, const struct p4_event *event)
{
	return event && (!event->prescott || model != P4_MODELS_0_TO_2);
}

const struct p4_event *P4FindEvent(const char *name)
{
	for (size_t i = 0; name && i < P4_EVENTS; i++)
		if (strcasecmp(name, p4_events[i].name) == 0)
			return &p4_events[i];
	return NULL;
}

const struct p4_mask *P4FindMask(const struct p4_event *event, const char *name)
{
	for (size_t i = 0; event && name && i < event->mask_count; i++)
		if (strcasecmp(name, event->masks[i].name) == 0)
			return &event->masks[i];
	return NULL;
}

const struct p4_metric *P4FindMetric(const struct p4_event *event, const char *name)
{
	if (!event || !name || event->tagging == P4_NO_TAGGING)
		return NULL;
	for (size_t i = 0; i < P4_METRICS; i++)
		if (p4_metrics[i].tagging == event->tagging &&
			strcasecmp(name, p4_metrics[i].name) == 0)
			return &p4_metrics[i];
	return NULL;
}

const struct p4_mask *p4_mask_default(const struct p4_event *event)
{
	bool single = event->mask_count == 1 || event->masks[1].bit >= P4_TAG_BIT;

	return single ? event->masks : NULL;
}
