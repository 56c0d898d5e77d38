# For the tests beside it: `. "${0%/*}/lib.sh"`. CPIDECODE is the command, MKTRACE the
# builder of traces (tests/golden/mktrace.c).
# shellcheck shell=sh

set -eu
. "${0%/*}/../lib/checks.sh"
. "${0%/*}/../lib/traces.sh"
: "${CPIDECODE:?the cpidecode command}" "${MKTRACE:?the trace builder mktrace}"

# shellcheck disable=SC2034 # for the tests
here=$(cd "${0%/*}" && pwd) # of the test
work=$(mktemp -d "${TMPDIR:-/tmp}/cpidecode-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
TZ=UTC
export TZ

# run STATUS ARGUMENTS...: stdout to out, stderr to err.
run()
{
	expected=$1
	shift
	status=0
	"$CPIDECODE" "$@" >out 2>err || status=$?
	[ "$status" -eq "$expected" ] || fail "cpidecode $*: exit $status, expected $expected"
}

# misuse PATTERN ARGUMENTS...
misuse()
{
	refuses 2 "$@"
	in_file err '^cpidecode: '
}

# is_sampled WHAT: in a sanitized build (SAMPLED), whose commands are slow, combinations that run the same code
# are left to the build without, which tries them all.
is_sampled()
{
	[ -n "${SAMPLED-}" ] || return 1
	echo "skipped: $1: the build without a sanitizer has them"
}

# not_in_file FILE PATTERN: the opposite of in_file.
not_in_file()
{
	if grep -aEq -- "$2" "$1"; then
		fail "$1 has '$2'"
	fi
}

quiet()
{
	[ ! -s err ] || fail "stderr is not empty"
}

lines_are()
{
	n=$(wc -l <out)
	[ "$n" -eq "$1" ] || fail "$n lines, expected $1"
}

# Two processors, a guest ring, three threads; 1 tick is 1 ns. The trace starts at
# 1700000000 s, when 1000000000 ticks have passed. Extra statements for the header,
# the LOSS section and after everything: header, loss, damage.
header=''
loss=''
damage=''
position='' # of each ring's first byte
make_trace()
{
	"$MKTRACE" - "$1" <<END
clock raw
hz 1000000000
sync 1000000000 1700000000000000000 5
cpus 2
$header
section meta
| host: demo
| kernel: 6.1
section clock
sync 1000000000 1700000000000000000 5
section tasks
task 100 100 0 "main"
task 101 100 0 "wor;ker"
section hooks ring=0${position:+ position=$position}
group mm=1 tid=100 at=1030000000 elapsed=20000000 types=7 label="inner" summary detailed
cpu 4000000 8000000 6000000
cpu 4000000 8000000 6000000
thread 10000000 15000000
endgroup
group mm=1 tid=100 at=1050000000 elapsed=45000000 types=7 label="outer" summary detailed
cpu 10000000 40000000 20000000
cpu 10000000 40000000 20000000
thread 20000000 45000000
endgroup
group mm=2 tid=100 at=1070000000 elapsed=10000000 types=1 summary
cpu 0 10000000 0 x2
endgroup
section hooks ring=1${position:+ position=$position}
group mm=3 tid=101 at=1040000000 elapsed=30000000 types=3 label="we\"ird, \e[31m\xff;\n" summary
cpu 15000000 30000000 15000000 x2
endgroup
hook 0x10 0x23 tid=101 at=1060000000 1 2 0xDEADBEEF "tick" ""
section hooks guest=0${position:+ position=$position}
group mm=0x10 tid=202 at=1045000000 elapsed=5000000 types=1 label="guest" summary
cpu 5000000 5000000 0
endgroup
section clock
sync 2000000000 1700000001000000000 1000000005
$loss
section end
$damage
END
}

make_trace plain.bin

# make_run FILE SEED PERCENT [HOST]: a run of 50 intervals of about 1000 ns, so many percent longer.
# With HOST, perhaps empty, the trace has an id and a clock as well.
make_run()
{
	awk -v seed="$2" -v longer="$3" -v is_hosted="$(($# > 3))" -v host="${4-}" 'BEGIN {
		print "clock tsc\nhz 1000000000\nsync 0 1700000000000000000 1000"
		if (is_hosted)
			printf "id \"%016d\"\n", seed
		if (host)
			print "section meta\n| host: " host
		if (is_hosted)
			printf "section clock\nsync 1000000000 1700000001000000000 1000001000\n"
		print "section hooks ring=0"
		x = seed
		for (i = 0; i < 50; i++) {
			x = (x * 16807) % 2147483647
			printf "group mm=1 tid=7 at=%d elapsed=%d types=1 label=\"x\" detailed\n",
				10000 * (i + 1), (900 + x % 200) * (1 + longer / 100)
			printf "cpu 1000 3000 0\nendgroup\n"
		}
		print "section end"
	}' | "$MKTRACE" - "$1"
}

# make_case NAME: the golden case's traces, here; their names are $files.
make_case()
{
	files=
	for script in "$here"/../golden/cases/"$1"/trace*.txt; do
		name=${script##*/}
		"$MKTRACE" "$script" "${name%.txt}.bin"
		files="$files ${name%.txt}.bin"
	done
}

# slowest_merges NAMES...: of the traces that each argument names, the slowest intervals of merged partial
# results are those of the traces read together.
slowest_merges()
{
	for t; do
		files='' parts=''
		for f in $t; do
			files="$files $f.bin" parts="$parts $f.part"
			run 0 --report slowest --partial "$f.part" "$f.bin"
		done
		for format in text json; do
			# shellcheck disable=SC2086
			run 0 --report slowest --format $format $files
			mv out whole
			# shellcheck disable=SC2086
			run 0 merge --report slowest --format $format $parts
			cmp out whole || fail "merged, $t: $(diff out whole)"
		done
	done
}
