#!/bin/sh
# swtrace event list, show and encode. SWTRACE and WELLFORMED name the programs; without them,
# those of BUILD.
set -u

SWTRACE=${SWTRACE:-${BUILD:-$PWD}/swtrace}
WELLFORMED=${WELLFORMED:-${BUILD:-$PWD}/wellformed}
dir=$(mktemp -d "${TMPDIR:-/tmp}/swtrace-event-cmd.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
out=$dir/out err=$dir/err
. "${0%/*}/../lib/results.sh"

# event STATUS ARGUMENT ...: of swtrace event. A failure says one line, and success none.
event()
{
	code=$1
	shift
	exits "$code" "$SWTRACE" event "$@" || return
	case $code in 1 | 2) same "swtrace event $*: lines on stderr" "$(wc -l <"$err")" 1 ;; *) same "swtrace event $*: lines on stderr" "$(wc -l <"$err")" 0 ;; esac
}

# says PATTERN: on stdout; complains PATTERN: on stderr; silent PATTERN: not on stdout.
says()
{
	if grep -q -e "$1" "$out"; then count_pass; else count_failure "does not say: $1"; fi
}
complains()
{
	if grep -q -e "$1" "$err"; then count_pass; else count_failure "does not complain: $1"; fi
}
silent()
{
	if grep -q -e "$1" "$out"; then count_failure "says: $1"; else count_pass; fi
}

# well_formed: stdout is one JSON value.
well_formed()
{
	"$WELLFORMED" document "$out" >"$err" || count_failure "not JSON"
}

# file PATH TEXT: in a made-up /sys.
file()
{
	path=$dir/sys/bus/event_source/devices/$1
	mkdir -p "${path%/*}"
	printf '%s\n' "$2" >"$path"
}
file software/type 1
file cpu/type 4
file cpu/format/event config:0-7
file cpu/format/umask config:8-15
file cpu/format/inv config:23
file cpu/format/cmask config:24-31
file cpu/format/ldlat config1:0-15
file cpu/events/cpu-cycles event=0x3c
file cpu/events/cache-misses event=0x2e,umask=0x41
file uncore/type 20
file uncore/format/event config:0-7
file uncore/events/reads event=0x4
sys="--sysfs $dir/sys"

# ------------------------------------------------------------------------------- list
event 0 list
for name in cycles cpu-cycles instructions ref-cycles page-faults cs task-clock L1-dcache-loads; do
	says "^$name "
done
event 0 list 'L1*miss*'
says '^L1-dcache-load-misses '
silent '^cycles '
event 0 list FAULT instr
says '^page-faults '
says '^instructions '
silent '^cycles '
event 0 list $sys
says '^cpu/cache-misses/ .* sysfs .*event=0x2e,umask=0x41$'
says '^uncore/reads/ '
event 0 list --json fault
well_formed
says '{"name": "page-faults", "pmu": "software", "origin": "generic"'
event 1 list nosuch
complains 'no event matches nosuch'
event 1 list 'nosuch*' '[xyz]?'
event 1 list --json nosuch
well_formed
# Who may count is the machine's to say.
"$SWTRACE" event list --try page-faults >"$out" 2>"$err"
case $? in
0) tried=0 verdict='\(counts\|user mode\)' json=true ;;
*) tried=4 verdict='\(not allowed\|not here\)' json=false ;;
esac
event $tried list --try page-faults minor-faults
says "^page-faults .* $verdict "
says "^minor-faults .* $verdict "
event $tried list --try --json page-faults
well_formed
says "\"counts\": $json, \"verdict\": \"$verdict\""
# A PMU that no kernel has.
event 2 list --try $sys
event 2 list --try --cpu intel
event 2 show --try cycles

# ------------------------------------------------------------------------------- show
event 0 show cycles page-faults:u
says '^cycles$'
says 'exclude_kernel'
says ':u (user mode)'
event 0 show $sys cpu/cache-misses/
says 'stands for *event=0x2e,umask=0x41'
says 'terms *cmask, event, inv, ldlat, umask'
event 0 show --json $sys cpu/cache-misses/ cycles:k
well_formed
says '"config": "0x412e"'
says '"terms": \["cmask", "event", "inv", "ldlat", "umask"\]'
event 1 show nosuch
complains '"nosuch"; see swtrace event list'
event 1 show cycles nosuch
event 2 show

# ----------------------------------------------------------------------------- encode
event 0 encode --cpu intel cycles:u cpu/event=0xc0,inv,cmask=2/ ref-cycles page-faults
says 'WRMSR 0x00000186 <- 0x000000000041003c  IA32_PERFEVTSEL0'
says 'WRMSR 0x00000187 <- 0x0000000002c300c0  IA32_PERFEVTSEL1'
says 'WRMSR 0x0000038d <- 0x0000000000000300  IA32_FIXED_CTR_CTRL'
says 'WRMSR 0x0000038f <- 0x0000000400000003  IA32_PERF_GLOBAL_CTRL'
says 'perf_event *type 4, config 0x28000c0$'
says 'perf  *-e cpu/event=0xc0,umask=0x0,inv,cmask=0x2/$'
says 'registers *n/a: the kernel counts it'
for step in 1 2 3 4 5 6; do
	says "^  $step\\. "
done
# Fixed counters share their register.
event 0 encode --cpu intel cpu/event=0,umask=1/u cpu/event=0,umask=3/
says 'WRMSR 0x0000038d <- 0x0000000000000302  IA32_FIXED_CTR_CTRL'
event 0 encode --cpu amd instructions cpu/event=0x1ff/
says 'WRMSR 0xc0010200 <- 0x00000000004300c0  PERF_CTL0'
says 'WRMSR 0xc0010202 <- 0x00000001004300ff  PERF_CTL1'
says '6\. They count already'
event 0 encode --cpu arm cycles:u instructions
says 'MSR PMEVTYPER0_EL0 <- 0x80000011'
says 'MSR PMEVTYPER1_EL0 <- 0x8$'
says 'MSR PMCNTENSET_EL0 <- 0x3'
event 0 encode $sys cpu/cache-misses/ uncore/reads/ cycles
says 'WRMSR 0x00000186 <- 0x000000000043412e'
says 'WRMSR 0x00000187 <- 0x000000000043003c'
says 'perf  *-e uncore/event=0x4/'
says 'registers *n/a: it is not an event of the processor'
event 0 encode --json --cpu intel cycles L1-dcache-loads
well_formed
says '"select": {"name": "IA32_PERFEVTSEL0", "msr": "0x186", "value": "0x43003c"}'
says '"registers": null, "why": "'
says '"enable": {"name": "IA32_PERF_GLOBAL_CTRL", "msr": "0x38f", "value": "0x1"}'
event 0 encode -- cycles

event 1 encode nosuch
complains '^swtrace event: .*"nosuch"; see swtrace event list'
event 1 encode cycles nosuch
event 1 encode ''
complains 'empty'
event 1 encode $sys cpu/event=0x100/
complains 'event=0x100 does not fit: 0 to 0xff'
event 1 encode $sys cpu/edge/
complains 'no event and no term "edge"'
event 1 encode $sys cpu/event=1
complains 'second / is missing'
event 1 encode $sys gpu/event=1/
complains 'no PMU "gpu" here; --cpu or --sysfs'
event 1 encode --cpu arm cpu_core/event=1/
event 1 encode --cpu intel armv8_pmuv3/event=1/
event 1 encode --cpu intel ref-cycles cpu/event=0,umask=3/
complains 'both need fixed counter 2'
event 1 encode --cpu intel cpu/event=0xb7,umask=1,offcore_rsp=1/ cpu/event=0xb7,umask=1,offcore_rsp=2/
complains 'both need MSR_OFFCORE_RSP_0'
event 1 encode --cpu intel cycles cycles cycles cycles cycles
complains 'no counter free: there are 4'
event 0 encode --cpu intel cycles cycles cycles cycles ref-cycles
event 1 encode --cpu amd r1 r2 r3 r4 r5 r6 r7

event 2 encode
event 2 encode --cpu nosuch cycles
complains 'no processor "nosuch"'
event 2 encode --cpu
event 2 encode --cpu intel $sys cycles
event 2 encode --sysfs "$dir" cycles
complains 'a copy of /sys'
event 2 encode --sysfs "$dir/nosuch" cycles
event 2 encode --nosuch cycles
event 2
event 2 nosuch
complains 'unknown action "nosuch": expected list, show or encode'
event 2 Encode cycles

# ---------------------------------------------------------------------------- libpfm4
"$SWTRACE" event list --json >"$out"
if grep -q '^{"libpfm4": true' "$out"; then
	event 0 list --cpu skl inst_retired
	says '^skl::INST_RETIRED:ANY_P .* libpfm4 '
	event 0 show --cpu skl inst_retired
	says 'unit masks *:ANY_P '
	says ':c=N '
	event 0 show --json --cpu skl inst_retired:any_p
	well_formed
	event 0 encode --cpu skl inst_retired:any_p:c=1:i:e skl::uops_issued:any:k
	says 'WRMSR 0x00000186 <- 0x0000000001c700c0'
	says 'WRMSR 0x00000187 <- 0x000000000042010e'
	event 0 encode --cpu skl offcore_response_0:any_request:l3_miss
	says 'MSR_OFFCORE_RSP_0'
	says 'offcore_rsp=0x'
	event 0 encode --cpu amd64_fam19h_zen4 retired_instructions
	says 'WRMSR 0xc0010200 <- 0x00000000004300c0'
	says 'PerfCntrGlobalCtl'
	event 0 encode --cpu amd64_k8_revb retired_instructions
	says 'WRMSR 0xc0010000 <- 0x00000000004300c0'
	event 1 encode --cpu skl nosuch
	event 1 encode --cpu skl inst_retired:nosuch
	complains 'invalid event attribute'
	event 1 encode --cpu skl hsw::inst_retired
	complains 'unknown event ".*" of skl'
	event 1 encode --cpu skl inst_retired:c=256
else
	echo "skipped: libpfm4's names: this build is without it"
	event 2 encode --cpu skl inst_retired
	complains 'lacks libpfm4'
fi

# ------------------------------------------------------------------------------ output
event 0 --help
says '^usage: swtrace event '
if [ -c /dev/full ]; then
	"$SWTRACE" event list >/dev/full 2>"$err" && count_failure "a full disk went unnoticed"
	complains 'cannot write to standard output: No space left on device'
fi

tally
