/* Any report of a trace. */
#include "report.h"

int report_run(struct report *r, enum report_kind kind)
{
	switch (kind) {
	case REPORT_SUMMARY:
		return report_summary(r);
	case REPORT_CPUS:
		return report_cpus(r);
	case REPORT_PARTIAL:
		return report_partial(r);
	case REPORT_HOOKS:
		return r->format == FORMAT_NRM2 ? report_nrm2(r) : report_hooks(r);
	case REPORT_INFO:
		return report_info(r);
	case REPORT_INTERVALS:
		return report_intervals(r);
	case REPORT_FLAME:
		return report_flame(r);
	case REPORT_WHY:
		return report_why(r);
	case REPORT_DIFF: /* of two: report_diff */
		break;
	}
	return CPIDECODE_EINVAL;
}
