#!/bin/sh
# swtrace event --cpu p4, the command. SWTRACE names it.
set -u
SWTRACE=${SWTRACE:-./swtrace}
dir=$(mktemp -d "${TMPDIR:-/tmp}/swtrace-p4.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
out=$dir/out err=$dir/err
. "${0%/*}/../lib/results.sh"

# p4 STATUS SUBVERB ...: runs it for the Pentium 4, judges the status.
p4()
{
	want=$1
	shift
	exits "$want" "$SWTRACE" event "$@" --cpu p4
}

# says TEXT, warns TEXT: a part of a line of stdout, of stderr.
says()
{
	grep -qF -- "$1" "$out" && count_pass || count_failure "no \"$1\""
}

warns()
{
	grep -qF -- "$1" "$err" && count_pass || count_failure "no \"$1\" on stderr"
	[ "$(wc -l <"$err")" -eq 1 ] && count_pass || count_failure "more than a line on stderr"
}

lines()
{
	[ "$(wc -l <"$out")" -eq "$1" ] && count_pass || count_failure "not $1 lines"
}

p4 0 list
lines 46
says 'instr_retired                retired instructions'
p4 0 list branch_retired
lines 2
p4 0 list '*_REPLAY'
lines 3
p4 1 list nothing_of_the_kind
warns 'no event'
"$SWTRACE" event list --cpu netburst >"$out" 2>"$err"
lines 45

p4 0 show branch_retired
says 'event select 06H, CCCR select 5'
says 'MSR_CRU_ESCR3 (3CDH): counters 14, 15, 17'
says ':MMTM            bit  3  taken, mispredicted'
p4 0 show replay_event uop_type
says ':BR_MSP'
says 'note: tags uops, but makes no counter count'
p4 1 show branch
lines 0
warns 'PU_ERROR_INVALID_EVENT'
p4 2 show
lines 0

# The six steps, with the two writes.
p4 0 encode branch_retired:MMTP:c=2:i:e:u
says '  1. event branch_retired: event select 06H, event mask 0004H (MMTP)'
says '  2. ESCR MSR_CRU_ESCR2'
says '  3. counter number 12'
says '  4. addresses: counter MSR_IQ_COUNTER0 30CH, CCCR MSR_IQ_CCCR0 36CH, ESCR MSR_CRU_ESCR2 3CCH'
says '  5. write MSR_CRU_ESCR2: event select 06H, event mask 0004H, USR on thread 0'
says '       WRMSR 0x000003cc <- 0x000000000c000804'
says '  6. write MSR_IQ_CCCR0: CCCR select 5, compare, not above 2, edge, enable'
says '       WRMSR 0x0000036c <- 0x00000000012fb000'
says 'config 0x52000800012f0000, exclude_kernel 1; perf stat -e r52000800012f0000:u'
p4 0 encode replay_event:SP_LD_RET:k
says '       WRMSR 0x000003af <- 0x0000000008000408'
says '       WRMSR 0x000003f1 <- 0x0000000003000400'
says '       WRMSR 0x000003f2 <- 0x0000000000000001'
says '       WRMSR 0x000003cc <- 0x0000000012000208'
says 'perf: n/a: Linux does not write the ESCR'
p4 0 encode front_end_event:NBOGUS
says 'note: counts uops that something else tags'
p4 0 encode branch_retired:MMTP:ctr=12 branch_retired:MMTP:c=1:ctr=13
says 'note: shares MSR_CRU_ESCR2'
p4 0 encode branch_retired:MMTP:ctr=12 branch_retired:MMTP:ctr=14
says 'ESCR MSR_CRU_ESCR3'
p4 1 encode branch_retired:MMTP:ctr=12 branch_retired:MMTP
warns '(PU_ERROR_DUPLICATE_METRICS)'

# One ESCR for two selections is a conflict, which is named; two ESCRs are none.
p4 1 encode branch_retired:MMTP:ctr=12 branch_retired:MMTM:ctr=13
lines 0
warns 'branch_retired:MMTP:ctr=12 and branch_retired:MMTM:ctr=13 compete for MSR_CRU_ESCR2,'
warns '(PU_ERROR_EVENT_ALL_ESCR_IN_USE)'
p4 0 encode branch_retired:MMTP:ctr=12 branch_retired:MMTM:ctr=14
says 'ESCR MSR_CRU_ESCR3'
p4 1 encode uop_type:TAGLOADS:ctr=12 resource_stall:ctr=12
warns '(PU_ERROR_ALL_COUNTERS_IN_USE)'
p4 1 encode machine_clear
warns 'needs a unit mask: CLEAR, MOCLEAR, SMCLEAR (PU_ERROR_INVALID_METRIC)'
p4 2 encode
"$SWTRACE" event encode --cpu netburst instr_completed:NBOGUS >"$out" 2>"$err"
[ $? -eq 1 ] && count_pass || count_failure 'netburst has instr_completed'
warns '(PU_ERROR_EVENT_NOT_SUPPORTED)'
"$SWTRACE" event encode --cpu NETBURST_P instr_completed:NBOGUS >"$out" 2>"$err"
says 'WRMSR 0x000003b8 <- 0x000000000e00020c'

# JSON: every kind of answer is one object.
if command -v python3 >/dev/null; then
	json()
	{
		python3 -c "import json, sys; o = json.load(open(sys.argv[1])); assert $1, o" \
			"$out" 2>>"$err" && count_pass || count_failure "json: $1"
	}
	p4 0 list --json
	json 'len(o["events"]) == 46 and o["events"][0]["name"] == "TC_deliver_mode"'
	p4 0 show --json replay_event bnr
	json 'len(o["events"][0]["tags"]) == 9 and o["events"][1]["escrs"][0]["msr"] == 0x3a2'
	p4 0 encode --json branch_retired:MMTP execution_event:X87_FP:u
	json 'o["events"][0]["escr"] == {"name": "MSR_CRU_ESCR2", "msr": 0x3cc, "value": 0xc00080c}'
	json 'o["events"][0]["cccr"]["value"] == 0x3b000 and o["events"][0]["counter"]["number"] == 12'
	json 'o["events"][0]["perf"]["config"] == "0x5200080000030000"'
	json '[s["step"] for s in o["events"][0]["steps"]] == [1, 2, 3, 4, 5, 6]'
	json 'o["events"][1]["upstream_escr"]["msr"] == 0x3a4 and o["events"][1]["perf"] is None'
	json '[s["value"] for s in o["events"][1]["steps"] if "msr" in s] == [0x9000034, 0x18000204, 0x3b000]'
	p4 1 encode --json bnr:BIT0 bnr:BIT1 bnr:BIT2
	json 'o["code"] == "PU_ERROR_EVENT_ALL_ESCR_IN_USE" and "MSR_FSB_ESCR0" in o["error"]'
else
	count_skip "the JSON of event --cpu p4" "python3 is not here"
fi

tally
