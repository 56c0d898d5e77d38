/*
 * Every event and unit mask that both know, encoded here and by libpfm4 (its netburst and
 * netburst_p models), alone and with every filter. Where the two differ, a line below says so and
 * why; each such line must come true, and nothing else may differ.
 */
#include <fnmatch.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../libtrace/p4/p4.h"

/* Names that libpfm4 spells in another way than the manual. */
static const struct {
	const char *event, *mask; /* libpfm4's; mask NULL: the event itself */
	const char *manual;
} renamed[] = {
	{"uops_type", NULL, "uop_type"},
	/* bit 0: its description, too, says that the instruction is not bogus */
	{"mispred_branch_retired", "BOGUS", "NBOGUS"},
};

/* Parts that can differ. */
enum { ESCR = 1, CCCR = 2, PERF = 4 };

static struct difference {
	const char *event, *mask; /* the manual's; the event a pattern */
	bool alone;		  /* only where no other unit mask stands with it */
	unsigned parts;
	const char *why;
	unsigned seen;
} differences[] = {
	{"b2b_cycles", "BIT5", false, ESCR | PERF, "libpfm4 sets bit 4 for BIT5", 0},
	{"b2b_cycles", "BIT6", false, ESCR | PERF, "libpfm4 sets bit 4 for BIT6", 0},
	{"*_uop", "TAG0", true, ESCR | PERF,
		"libpfm4 takes the tag for the event mask, and leaves that empty: no uop is tagged; here ALL stands where none is given",
		0},
	{"*_uop", "TAG1", true, ESCR | PERF, "as TAG0", 0},
	{"*_uop", "TAG2", true, ESCR | PERF, "as TAG0", 0},
	{"*_uop", "TAG3", true, ESCR | PERF, "as TAG0", 0},
	{"replay_event", "L1_LD_MISS", true, ESCR | PERF,
		"libpfm4 leaves the event mask empty: nothing is counted; here NBOGUS stands where none is given, as the manual's table of replay metrics has it",
		0},
	{"replay_event", "L2_LD_MISS", true, ESCR | PERF, "as L1_LD_MISS", 0},
	{"replay_event", "DTLB_LD_MISS", true, ESCR | PERF, "as L1_LD_MISS", 0},
	{"replay_event", "DTLB_ST_MISS", true, ESCR | PERF, "as L1_LD_MISS", 0},
	{"replay_event", "DTLB_ALL_MISS", true, ESCR | PERF, "as L1_LD_MISS", 0},
	{"replay_event", "BR_MSP", true, ESCR | PERF, "as L1_LD_MISS", 0},
	{"replay_event", "MOB_LD_REPLAY", true, ESCR | PERF, "as L1_LD_MISS", 0},
	{"replay_event", "SP_LD_RET", true, ESCR | PERF, "as L1_LD_MISS", 0},
	{"replay_event", "SP_ST_RET", true, ESCR | PERF, "as L1_LD_MISS", 0},
	{"replay_event", "L1_LD_MISS", false, PERF,
		"libpfm4 drops the metric: Linux would not set the registers that tag; here its number is in the low bits of the config",
		0},
	{"replay_event", "L2_LD_MISS", false, PERF, "as L1_LD_MISS with NBOGUS", 0},
	{"replay_event", "DTLB_LD_MISS", false, PERF, "as L1_LD_MISS with NBOGUS", 0},
	{"replay_event", "DTLB_ST_MISS", false, PERF, "as L1_LD_MISS with NBOGUS", 0},
	{"replay_event", "DTLB_ALL_MISS", false, PERF, "as L1_LD_MISS with NBOGUS", 0},
	{"replay_event", "BR_MSP", false, PERF, "as L1_LD_MISS with NBOGUS", 0},
	{"replay_event", "MOB_LD_REPLAY", false, PERF, "as L1_LD_MISS with NBOGUS", 0},
	{"replay_event", "SP_LD_RET", false, PERF, "as L1_LD_MISS with NBOGUS", 0},
	{"replay_event", "SP_ST_RET", false, PERF, "as L1_LD_MISS with NBOGUS", 0},
};
enum { DIFFERENCES = sizeof differences / sizeof *differences };

static unsigned events, masks, compared, equal, explained, failures;

/* The bits of a raw config that the kernel passes through: it sets the rest itself. */
#define PERF_ESCR (0x7e000000ull | 0x01fffe00 | 0x1e0 | 0x10)
#define PERF_CCCR (0x01000000ull | 0x00f00000 | 0x00080000 | 0x00040000 | 0x00030000 | 0xfff)
#define PERF_MASK (PERF_ESCR << 32 | PERF_CCCR)

struct codes {
	uint32_t escr, cccr;
	uint64_t perf;
};

static bool ask_pfm(const char *text, struct codes *c)
{
	uint64_t codes[4] = {0}, *list = codes;
	struct perf_event_attr attr = {.size = sizeof attr};
	pfm_pmu_encode_arg_t raw = {.codes = list, .count = 4, .size = sizeof raw};
	pfm_perf_encode_arg_t perf = {.attr = &attr, .size = sizeof perf};
	int plm = PFM_PLM0 | PFM_PLM3, rc;

	rc = pfm_get_os_event_encoding(text, plm, PFM_OS_NONE, &raw);
	if (rc == PFM_SUCCESS)
		rc = pfm_get_os_event_encoding(text, plm, PFM_OS_PERF_EVENT, &perf);
	if (rc != PFM_SUCCESS) {
		printf("%s: libpfm4 does not encode it: %s\n", text, pfm_strerror(rc));
		failures++;
		return false;
	}
	*c = (struct codes){(uint32_t)codes[0], (uint32_t)codes[1], attr.config & PERF_MASK};
	return true;
}

static bool ask_here(const char *text, enum p4_model model, struct codes *c)
{
	struct p4_request r;
	char why[P4_WHY_MAX];
	const char *lacking;

	if (P4Parse(text, model, &r, why)) {
		printf("%s\n", why);
		failures++;
		return false;
	}
	*c = (struct codes){p4_escr_value(&r), p4_cccr_value(&r), P4PerfConfig(&r, &lacking)};
	return true;
}

static unsigned expected(const char *event, const char *mask, bool alone)
{
	unsigned parts = 0;

	for (size_t i = 0; mask && i < DIFFERENCES; i++) {
		struct difference *d = &differences[i];

		if (fnmatch(d->event, event, FNM_CASEFOLD) == 0 && strcasecmp(d->mask, mask) == 0 &&
			(alone || !d->alone)) {
			parts |= d->parts;
			d->seen++;
		}
	}
	return parts;
}

/* One filter in both spellings. */
struct filter {
	char here[32], pfm[32];
};

static void compare(const char *pfm, const char *here, enum p4_model model, unsigned differs,
	const struct filter *f)
{
	char text[512];
	struct codes ours, theirs;
	unsigned parts;

	snprintf(text, sizeof text, "%s%s", pfm, f->pfm);
	if (!ask_pfm(text, &theirs))
		return;
	snprintf(text, sizeof text, "%s%s:t0:t1", here, f->here);
	if (!ask_here(text, model, &ours))
		return;
	parts = (ours.escr != theirs.escr ? ESCR : 0) | (ours.cccr != theirs.cccr ? CCCR : 0) |
		(ours.perf != theirs.perf ? PERF : 0);
	compared++;
	if (parts == 0)
		equal++;
	else if (parts == differs)
		explained++;
	if (parts == differs)
		return;
	failures++;
	printf("%s: here ESCR %#x CCCR %#x perf %#llx, libpfm4 %#x %#x %#llx: %s\n", text,
		ours.escr, ours.cccr, (unsigned long long)ours.perf, theirs.escr, theirs.cccr,
		(unsigned long long)theirs.perf,
		parts ? "not explained" : "said to differ, but equal");
}

/* Modes, and threshold with complement and edge: libpfm4's threshold 0 is none. */
static void compare_filters(
	const char *pfm, const char *here, enum p4_model model, unsigned differs)
{
	static const char *const modes[][2] = {
		{"", ""}, {":u", ":u"}, {":k", ":k"}, {":uk", ":u:k"}};
	struct filter f;

	for (size_t m = 0; m < 4; m++) {
		snprintf(f.here, sizeof f.here, "%s", modes[m][0]);
		snprintf(f.pfm, sizeof f.pfm, "%s", modes[m][1]);
		compare(pfm, here, model, differs, &f);
	}
	for (unsigned bits = 1; bits < 64; bits++) {
		unsigned threshold = bits >> 2;
		const char *i = bits & 1 ? ":i" : "", *e = bits & 2 ? ":e" : "";
		char here_thr[8] = "", pfm_thr[8] = "";

		if (threshold) {
			snprintf(here_thr, sizeof here_thr, ":c=%u", threshold);
			snprintf(pfm_thr, sizeof pfm_thr, ":thr=%u", threshold);
		}
		snprintf(f.here, sizeof f.here, "%s%s%s", here_thr, i, e);
		snprintf(f.pfm, sizeof f.pfm, "%s%s%s", pfm_thr, *i ? ":cmpl" : "", e);
		compare(pfm, here, model, differs, &f);
	}
}

static const char *manual_name(const char *event, const char *mask)
{
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
		if (strcasecmp(renamed[i].event, event) == 0 &&
			(mask ? renamed[i].mask && strcasecmp(renamed[i].mask, mask) == 0
			      : !renamed[i].mask))
			return renamed[i].manual;
	return mask ? mask : event;
}

/* The mask that the manual wants beside a tag or a metric. */
static const char *required_mask(const struct p4_event *event, const char *mask)
{
	const struct p4_mask *m = P4FindMask(event, mask);

	return m && m->bit < P4_TAG_BIT ? NULL : event->masks[0].name;
}

static void compare_mask(const char *pmu, const char *pfm, const struct p4_event *event,
	const char *pfm_mask, enum p4_model model)
{
	const char *mask = manual_name(pfm, pfm_mask);
	const char *other = required_mask(event, mask);
	char theirs[256], ours[256];

	if (!P4FindMask(event, mask) && !P4FindMetric(event, mask)) {
		printf("%s:%s: known to libpfm4 only\n", pfm, pfm_mask);
		failures++;
		return;
	}
	masks++;
	snprintf(theirs, sizeof theirs, "%s::%s:%s", pmu, pfm, pfm_mask);
	snprintf(ours, sizeof ours, "%s:%s", event->name, mask);
	compare_filters(theirs, ours, model, expected(event->name, mask, true));
	if (!other || !*other)
		return;
	snprintf(theirs, sizeof theirs, "%s::%s:%s:%s", pmu, pfm, other, pfm_mask);
	snprintf(ours, sizeof ours, "%s:%s:%s", event->name, other, mask);
	compare_filters(theirs, ours, model, expected(event->name, mask, false));
}

/* All unit masks at once (those that tag aside), and none where one is implied. */
static void compare_whole(
	const char *pmu, const char *pfm, const struct p4_event *event, enum p4_model model)
{
	char theirs[512], ours[512];
	int t = snprintf(theirs, sizeof theirs, "%s::%s", pmu, pfm);
	int o = snprintf(ours, sizeof ours, "%s", event->name);

	if (p4_mask_default(event))
		compare_filters(theirs, ours, model, 0);
	for (size_t i = 0; i < event->mask_count; i++) {
		const char *mask = event->masks[i].name;

		if (strcmp(pfm, "b2b_cycles") == 0 && i >= 4)
			break; /* wrong in libpfm4 */
		o += snprintf(ours + o, sizeof ours - (size_t)o, ":%s", mask);
		if (strcmp(pfm, "mispred_branch_retired") == 0)
			mask = "BOGUS";
		t += snprintf(theirs + t, sizeof theirs - (size_t)t, ":%s", mask);
	}
	compare_filters(theirs, ours, model, 0);
}

static void compare_event(const char *pmu, int index, enum p4_model model)
{
	pfm_event_info_t info = {.size = sizeof info};
	const struct p4_event *event;
	size_t known = 0;

	if (pfm_get_event_info(index, PFM_OS_NONE, &info) != PFM_SUCCESS)
		return;
	event = P4FindEvent(manual_name(info.name, NULL));
	if (!event) {
		printf("%s: known to libpfm4 only\n", info.name);
		failures++;
		return;
	}
	events++;
	for (int i = 0; i < info.nattrs; i++) {
		pfm_event_attr_info_t attr = {.size = sizeof attr};

		if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
			attr.type != PFM_ATTR_UMASK)
			continue;
		compare_mask(pmu, info.name, event, attr.name, model);
		known++;
	}
	for (size_t i = 0; i < P4_METRICS; i++)
		if (event->tagging == P4_REPLAY && p4_metrics[i].tagging == P4_REPLAY)
			known--;
	if (known != event->mask_count) {
		printf("%s: libpfm4 knows %zu unit masks, the table here %zu\n", info.name, known,
			event->mask_count);
		failures++;
	}
	compare_whole(pmu, info.name, event, model);
}

/* False: this libpfm4 has no such model. */
static bool compare_pmu(pfm_pmu_t id, enum p4_model model, unsigned there)
{
	pfm_pmu_info_t pmu = {.size = sizeof pmu};

	events = masks = compared = equal = explained = 0;
	if (pfm_get_pmu_info(id, &pmu) != PFM_SUCCESS)
		return false;
	for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i))
		compare_event(pmu.name, i, model);
	if (events != there) {
		printf("%s: %u events, the table here has %u\n", pmu.name, events, there);
		failures++;
	}
	printf("%s: %u events, %u unit masks: %u encodings compared, %u equal, %u differ as explained\n",
		pmu.name, events, masks, compared, equal, explained);
	return true;
}

int main(void)
{
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS) {
		printf("skipped: comparison with libpfm4: it does not start\n");
		return 77;
	}
	if (!compare_pmu(PFM_PMU_INTEL_NETBURST, P4_MODELS_0_TO_2, P4_EVENTS - 1) ||
		!compare_pmu(PFM_PMU_INTEL_NETBURST_P, P4_MODELS_3_TO_6, P4_EVENTS)) {
		printf("skipped: comparison with libpfm4: it was built without netburst\n");
		return 77;
	}
	for (size_t i = 0; i < DIFFERENCES; i++) {
		const struct difference *d = &differences[i];

		printf("differs: %s:%s%s: %s\n", d->event, d->mask, d->alone ? " alone" : "",
			d->why);
		if (!d->seen) {
			printf("%s:%s: said to differ, but not met\n", d->event, d->mask);
			failures++;
		}
	}
	pfm_terminate();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
