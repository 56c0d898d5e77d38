/*
 * The Pentium 4's events: Tables A-9 (non-retirement) and A-10 (at-retirement) of the manual,
 * and instr_completed of its models 3, 4 and 6.
 */
#include "tables.h"

#define BIT(n) (1u << (n))
#define MASKS(list) list, sizeof list / sizeof *list
#define PAIR(unit)                                                                                 \
	{                                                                                          \
		P4_##unit##_ESCR0, P4_##unit##_ESCR1                                               \
	}
/* At-retirement events use the CRU's second pair. */
#define CRU_LATE                                                                                   \
	{                                                                                          \
		P4_CRU_ESCR2, P4_CRU_ESCR3                                                         \
	}

static const struct p4_mask tc_deliver_mode[] = {
	{"DD", 0, "both logical processors deliver"},
	{"DB", 1, "logical processor 0 delivers, 1 builds"},
	{"DI", 2, "0 delivers, 1 is halted, cleared or in a long microcode flow"},
	{"BD", 3, "0 builds, 1 delivers"},
	{"BB", 4, "both build"},
	{"BI", 5, "0 builds, 1 is halted, cleared or in a long microcode flow"},
	{"ID", 6, "0 is halted, cleared or in a long microcode flow, 1 delivers"},
	{"IB", 7, "0 is halted, cleared or in a long microcode flow, 1 builds"},
};
static const struct p4_mask bpu_fetch_request[] = {
	{"TCMISS", 0, "the trace cache missed"},
};
static const struct p4_mask itlb_reference[] = {
	{"HIT", 0, "hits"},
	{"MISS", 1, "misses"},
	{"HIT_UC", 2, "uncacheable hits"},
};
static const struct p4_mask memory_cancel[] = {
	{"ST_RB_FULL", 2, "replayed: no store request buffer was free"},
	{"64K_CONF", 3, "conflicts by 64K aliasing"},
};
static const struct p4_mask memory_complete[] = {
	{"LSC", 0, "load splits, uncacheable and write-combining ones aside"},
	{"SSC", 1, "store splits of any kind"},
};
static const struct p4_mask load_port_replay[] = {{"SPLIT_LD", 1, "split loads"}};
static const struct p4_mask store_port_replay[] = {{"SPLIT_ST", 1, "split stores"}};
static const struct p4_mask mob_load_replay[] = {
	{"NO_STA", 1, "a store's address was not known"},
	{"NO_STD", 3, "a store's data were not known"},
	{"PARTIAL_DATA", 4, "load and store overlap in part"},
	{"UNALGN_ADDR", 5, "the low four address bits of load and store differ"},
};
static const struct p4_mask page_walk_type[] = {
	{"DTMISS", 0, "for the data TLB"},
	{"ITMISS", 1, "for the instruction TLB"},
};
static const struct p4_mask bsq_cache_reference[] = {
	{"RD_2ndL_HITS", 0, "second-level read hit, shared"},
	{"RD_2ndL_HITE", 1, "second-level read hit, exclusive"},
	{"RD_2ndL_HITM", 2, "second-level read hit, modified"},
	{"RD_3rdL_HITS", 3, "third-level read hit, shared"},
	{"RD_3rdL_HITE", 4, "third-level read hit, exclusive"},
	{"RD_3rdL_HITM", 5, "third-level read hit, modified"},
	{"RD_2ndL_MISS", 8, "second-level read miss"},
	{"RD_3rdL_MISS", 9, "third-level read miss"},
	{"WR_2ndL_MISS", 10, "a writeback that missed the second level"},
};
static const struct p4_mask ioq[] = {
	{"TYPE_BIT0", 0, "bus request type, bit 0 (this one alone: the default type)"},
	{"TYPE_BIT1", 1, "bus request type, bit 1"},
	{"TYPE_BIT2", 2, "bus request type, bit 2"},
	{"TYPE_BIT3", 3, "bus request type, bit 3"},
	{"TYPE_BIT4", 4, "bus request type, bit 4"},
	{"ALL_READ", 5, "reads"},
	{"ALL_WRITE", 6, "writes"},
	{"MEM_UC", 7, "uncacheable memory"},
	{"MEM_WC", 8, "write-combining memory"},
	{"MEM_WT", 9, "write-through memory"},
	{"MEM_WP", 10, "write-protected memory"},
	{"MEM_WB", 11, "write-back memory"},
	{"OWN", 13, "driven by this processor"},
	{"OTHER", 14, "driven by other processors or DMA"},
	{"PREFETCH", 15, "prefetches too"},
};
#define IOQ_PERF_LACKS (BIT(1) | BIT(2) | BIT(3) | BIT(4))
static const struct p4_mask fsb_data_activity[] = {
	{"DRDY_DRV", 0, "this processor drives data"},
	{"DRDY_OWN", 1, "this processor reads data"},
	{"DRDY_OTHER", 2, "data on the bus that are not for this processor"},
	{"DBSY_DRV", 3, "reserved by this processor to drive data"},
	{"DBSY_OWN", 4, "reserved to drive data for this processor"},
	{"DBSY_OTHER", 5, "reserved to drive data that are not for this processor"},
};
static const struct p4_mask bsq[] = {
	{"REQ_TYPE0", 0, "request type, bit 0: 0 read, 1 read invalidate"},
	{"REQ_TYPE1", 1, "request type, bit 1: 2 write, 3 writeback"},
	{"REQ_LEN0", 2, "request length, bit 0: 0 none, 1 one chunk"},
	{"REQ_LEN1", 3, "request length, bit 1: 3 eight chunks"},
	{"REQ_IO_TYPE", 5, "input or output"},
	{"REQ_LOCK_TYPE", 6, "bus lock"},
	{"REQ_CACHE_TYPE", 7, "cacheable"},
	{"REQ_SPLIT_TYPE", 8, "split across an 8-byte boundary"},
	{"REQ_DEM_TYPE", 9, "a demand; without it a prefetch"},
	{"REQ_ORD_TYPE", 10, "an ordered type"},
	{"MEM_TYPE0", 11, "memory type, bit 0: 0 UC, 1 WC"},
	{"MEM_TYPE1", 12, "memory type, bit 1: 6 WB"},
	{"MEM_TYPE2", 13, "memory type, bit 2: 4 WT, 5 WP"},
};
static const struct p4_mask sse_input_assist[] = {{"ALL", 15, "for SSE, SSE2 and SSE3 uops"}};
/* The tag bits mark these uops for execution_event. */
static const struct p4_mask uops[] = {
	{"ALL", 15, "all such uops"},
	{"TAG0", P4_TAG_BIT, "tag bit 0, for execution_event"},
	{"TAG1", P4_TAG_BIT + 1, "tag bit 1"},
	{"TAG2", P4_TAG_BIT + 2, "tag bit 2"},
	{"TAG3", P4_TAG_BIT + 3, "tag bit 3"},
};
static const struct p4_mask tc_misc[] = {{"FLUSH", 4, "flushes"}};
static const struct p4_mask global_power_events[] = {{"RUNNING", 0, "not stopped"}};
static const struct p4_mask tc_ms_xfer[] = {{"CISC", 0, "from trace cache to microcode"}};
static const struct p4_mask uop_queue_writes[] = {
	{"FROM_TC_BUILD", 0, "from the trace cache's build mode"},
	{"FROM_TC_DELIVER", 1, "from the trace cache's deliver mode"},
	{"FROM_ROM", 2, "from the microcode ROM"},
};
static const struct p4_mask branch_type[] = {
	{"CONDITIONAL", 1, "conditional jumps"},
	{"CALL", 2, "calls; of mispredicted ones the indirect"},
	{"RETURN", 3, "returns"},
	{"INDIRECT", 4, "returns, indirect calls and indirect jumps"},
};
static const struct p4_mask resource_stall[] = {{"SBFULL", 5, "no store buffer was free"}};
static const struct p4_mask wc_buffer[] = {
	{"WCB_EVICTS", 0, "evictions of any cause"},
	{"WCB_FULL_EVICT", 1, "evictions because no buffer was free"},
};
static const struct p4_mask b2b_cycles[] = {
	{"BIT1", 1, "sub-event 1"},
	{"BIT2", 2, "sub-event 2"},
	{"BIT3", 3, "sub-event 3"},
	{"BIT4", 4, "sub-event 4"},
	{"BIT5", 5, "sub-event 5"},
	{"BIT6", 6, "sub-event 6"},
};
static const struct p4_mask bnr[] = {
	{"BIT0", 0, "sub-event 0"},
	{"BIT1", 1, "sub-event 1"},
	{"BIT2", 2, "sub-event 2"},
};
static const struct p4_mask snoop[] = {
	{"BIT2", 2, "sub-event 2"},
	{"BIT6", 6, "sub-event 6"},
	{"BIT7", 7, "sub-event 7"},
};
static const struct p4_mask response[] = {
	{"BIT1", 1, "sub-event 1"},
	{"BIT2", 2, "sub-event 2"},
	{"BIT8", 8, "sub-event 8"},
	{"BIT9", 9, "sub-event 9"},
};
static const struct p4_mask bogus[] = {
	{"NBOGUS", 0, "not bogus: they retired"},
	{"BOGUS", 1, "bogus: they were cancelled"},
};
static const struct p4_mask execution_event[] = {
	{"NBOGUS0", 0, "not bogus, tag bit 0"},
	{"NBOGUS1", 1, "not bogus, tag bit 1"},
	{"NBOGUS2", 2, "not bogus, tag bit 2"},
	{"NBOGUS3", 3, "not bogus, tag bit 3"},
	{"BOGUS0", 4, "bogus, tag bit 0"},
	{"BOGUS1", 5, "bogus, tag bit 1"},
	{"BOGUS2", 6, "bogus, tag bit 2"},
	{"BOGUS3", 7, "bogus, tag bit 3"},
};
static const struct p4_mask instr_retired[] = {
	{"NBOGUSNTAG", 0, "not bogus, not tagged"},
	{"NBOGUSTAG", 1, "not bogus, tagged"},
	{"BOGUSNTAG", 2, "bogus, not tagged"},
	{"BOGUSTAG", 3, "bogus, tagged"},
};
static const struct p4_mask uop_type[] = {
	{"TAGLOADS", 1, "loads"},
	{"TAGSTORES", 2, "stores"},
};
static const struct p4_mask branch_retired[] = {
	{"MMNP", 0, "not taken, predicted"},
	{"MMNM", 1, "not taken, mispredicted"},
	{"MMTP", 2, "taken, predicted"},
	{"MMTM", 3, "taken, mispredicted"},
};
static const struct p4_mask mispred_branch_retired[] = {{"NBOGUS", 0, "not bogus"}};
static const struct p4_mask x87_assist[] = {
	{"FPSU", 0, "stack underflow"},
	{"FPSO", 1, "stack overflow"},
	{"POAO", 2, "output overflow"},
	{"POAU", 3, "output underflow"},
	{"PREA", 4, "input assist"},
};
static const struct p4_mask machine_clear[] = {
	{"CLEAR", 0, "some of the cycles of a clear of any cause; with the edge filter clears"},
	{"MOCLEAR", 2, "because of memory ordering"},
	{"SMCLEAR", 6, "because of self-modifying code"},
};

#define USE_EDGE "set the edge filter, or one occurrence counts more than once"
#define ODD_SELECT                                                                                 \
	"the manual gives CCCR select 3 for this event, but number 6 for its ESCRs; the value "    \
	"of the event's own table is used"

const struct p4_event p4_events[P4_EVENTS] = {
	{"TC_deliver_mode", 0x01, 1, PAIR(TC), MASKS(tc_deliver_mode), .perf_lacks = BIT(7),
		.what = "cycles by the modes of trace cache and decoder"},
	{"BPU_fetch_request", 0x03, 0, PAIR(BPU), MASKS(bpu_fetch_request),
		.what = "instruction fetch requests of the branch prediction unit"},
	{"ITLB_reference", 0x18, 3, PAIR(ITLB), MASKS(itlb_reference),
		.what = "translations by the instruction TLB"},
	{"memory_cancel", 0x02, 5, PAIR(DAC), MASKS(memory_cancel),
		.what = "requests cancelled in the data cache address control"},
	{"memory_complete", 0x08, 2, PAIR(SAAT), MASKS(memory_complete),
		.what = "completed split accesses"},
	{"load_port_replay", 0x04, 2, PAIR(SAAT), MASKS(load_port_replay),
		.what = "replays at the load port"},
	{"store_port_replay", 0x05, 2, PAIR(SAAT), MASKS(store_port_replay),
		.what = "replays at the store port"},
	{"MOB_load_replay", 0x03, 2, PAIR(MOB), MASKS(mob_load_replay),
		.what = "loads replayed by the memory order buffer"},
	{"page_walk_type", 0x01, 4, PAIR(PMH), MASKS(page_walk_type),
		.what = "page walks of the page miss handler"},
	{"BSQ_cache_reference", 0x0c, 7, PAIR(BSU), MASKS(bsq_cache_reference),
		.what = "cache references seen by the bus unit"},
	{"IOQ_allocation", 0x03, 6, PAIR(FSB), MASKS(ioq), .perf_lacks = IOQ_PERF_LACKS,
		.what = "bus transactions entered into the I/O queue", .note = USE_EDGE},
	{"IOQ_active_entries", 0x1a, 6, {P4_FSB_ESCR1, P4_FSB_ESCR1}, MASKS(ioq),
		.perf_lacks = IOQ_PERF_LACKS,
		.what = "entries of the I/O queue in use, 15 at most, per cycle",
		.note = "needs IOQ_allocation with the same masks in MSR_FSB_ESCR0"},
	{"FSB_data_activity", 0x17, 6, PAIR(FSB), MASKS(fsb_data_activity),
		.what = "data ready and data busy signals of the front side bus", .note = USE_EDGE},
	{"BSQ_allocation", 0x05, 7, {P4_BSU_ESCR0, P4_BSU_ESCR0}, MASKS(bsq),
		.what = "entries allocated in the bus sequence unit", .note = USE_EDGE},
	{"BSQ_active_entries", 0x06, 7, {P4_BSU_ESCR1, P4_BSU_ESCR1}, MASKS(bsq),
		.what = "entries of the bus sequence unit in use, 15 at most, per cycle",
		.note = "needs BSQ_allocation with the same masks in MSR_BSU_ESCR0"},
	{"SSE_input_assist", 0x34, 1, PAIR(FIRM), MASKS(sse_input_assist),
		.what = "assists asked for by input operands of SSE uops"},
	{"packed_SP_uop", 0x08, 1, PAIR(FIRM), MASKS(uops), .what = "packed single-precision uops"},
	{"packed_DP_uop", 0x0c, 1, PAIR(FIRM), MASKS(uops), .what = "packed double-precision uops"},
	{"scalar_SP_uop", 0x0a, 1, PAIR(FIRM), MASKS(uops), .what = "scalar single-precision uops"},
	{"scalar_DP_uop", 0x0e, 1, PAIR(FIRM), MASKS(uops), .what = "scalar double-precision uops"},
	{"64bit_MMX_uop", 0x02, 1, PAIR(FIRM), MASKS(uops), .what = "64-bit integer SIMD uops"},
	{"128bit_MMX_uop", 0x1a, 1, PAIR(FIRM), MASKS(uops), .what = "128-bit integer SIMD uops"},
	{"x87_FP_uop", 0x04, 1, PAIR(FIRM), MASKS(uops), .what = "x87 floating-point uops"},
	{"TC_misc", 0x06, 1, PAIR(TC), MASKS(tc_misc), .what = "events of the trace cache",
		.note = "counts two for each occurrence"},
	{"global_power_events", 0x13, 6, PAIR(FSB), MASKS(global_power_events),
		.what = "cycles in which the processor is not stopped"},
	{"tc_ms_xfer", 0x05, 0, PAIR(MS), MASKS(tc_ms_xfer),
		.what = "changes of uop delivery from trace cache to microcode"},
	{"uop_queue_writes", 0x09, 0, PAIR(MS), MASKS(uop_queue_writes),
		.what = "uops written to the uop queue"},
	{"retired_mispred_branch_type", 0x05, 2, PAIR(TBPU), MASKS(branch_type),
		.what = "retiring mispredicted branches by type"},
	{"retired_branch_type", 0x04, 2, PAIR(TBPU), MASKS(branch_type),
		.what = "retiring branches by type"},
	{"resource_stall", 0x01, 1, PAIR(ALF), MASKS(resource_stall),
		.what = "stalls of the allocator", .note = "not on every model"},
	{"WC_Buffer", 0x05, 5, PAIR(DAC), MASKS(wc_buffer),
		.what = "operations of the write combining buffers"},
	{"b2b_cycles", 0x16, 3, PAIR(FSB), MASKS(b2b_cycles), .perf_lacks = 0xffff,
		.what = "back-to-back bus cycles", .note = ODD_SELECT},
	{"bnr", 0x08, 3, PAIR(FSB), MASKS(bnr), .perf_lacks = 0xffff,
		.what = "bus not ready conditions", .note = ODD_SELECT},
	{"snoop", 0x06, 3, PAIR(FSB), MASKS(snoop), .perf_lacks = 0xffff,
		.what = "bus traffic of snoops that hit modified lines", .note = ODD_SELECT},
	{"response", 0x04, 3, PAIR(FSB), MASKS(response), .perf_lacks = 0xffff,
		.what = "bus responses by type", .note = ODD_SELECT},
	{"front_end_event", 0x08, 5, CRU_LATE, MASKS(bogus), P4_FRONT_END,
		.what = "retired uops that the front end tagged"},
	{"execution_event", 0x0c, 5, CRU_LATE, MASKS(execution_event), P4_EXECUTION,
		.what = "retired uops tagged at execution"},
	{"replay_event", 0x09, 5, CRU_LATE, MASKS(bogus), P4_REPLAY,
		.what = "retired uops tagged at replay"},
	{"instr_retired", 0x02, 4, PAIR(CRU), MASKS(instr_retired), .what = "retired instructions"},
	{"uops_retired", 0x01, 4, PAIR(CRU), MASKS(bogus), .what = "retired uops"},
	{"uop_type", 0x02, 2, PAIR(RAT), MASKS(uop_type),
		.what = "tags loads and stores for front_end_event",
		.note = "tags uops, but makes no counter count"},
	{"branch_retired", 0x06, 5, CRU_LATE, MASKS(branch_retired), .what = "retired branches"},
	{"mispred_branch_retired", 0x03, 4, PAIR(CRU), MASKS(mispred_branch_retired),
		.what = "retired mispredicted branches"},
	{"x87_assist", 0x03, 5, CRU_LATE, MASKS(x87_assist),
		.what = "retired x87 instructions that needed an assist"},
	{"machine_clear", 0x02, 5, CRU_LATE, MASKS(machine_clear), .perf_lacks = BIT(6),
		.what = "clears of the whole pipeline"},
	{"instr_completed", 0x07, 4, PAIR(CRU), MASKS(bogus), .prescott = true,
		.what = "instructions completed and retired"},
};
