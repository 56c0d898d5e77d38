#!/bin/sh
# The package swtrace for Python reads what cpidecode prints.
. "${0%/*}/../decoder_cmd/lib.sh"
: "${GENTRACE:?the generator of traces gentrace}" "${CPIDECODE_LIBRARY:?libcpidecode.so}"
top=$here/../..

# The first Python that has NumPy: that of PATH need not be Debian's.
python=
for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
	if "$candidate" -c 'import numpy' 2>/dev/null; then
		python=$candidate
		break
	fi
done
[ -n "$python" ] || skip "the package swtrace: no Python with NumPy here (apt-get install python3-numpy)"

! grep -qE '__(asan|tsan)_init' "$CPIDECODE_LIBRARY" ||
	skip "the package swtrace: Python lacks the runtime that a sanitized library needs"

export CPIDECODE CPIDECODE_LIBRARY
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$GENTRACE" -k groups -g 5000 -n 3000 generated.bin
"$GENTRACE" -k groups -g 5000 -n 2000 -p label,time -z lz4 timed.bin
set -- generated.bin timed.bin
for case in arguments events hosts interval_time cpuutil begins containers nrm2_groups; do
	"$MKTRACE" "$here/../golden/cases/$case/trace.txt" "$case.bin" 2>err || fail "$case: $(cat err)"
	set -- "$@" "$case.bin"
done
# Hooks lost for causes that LOSS sections have no field for.
"$MKTRACE" "$here/../golden/cases/causes/trace.txt" causes.bin 2>err || fail "causes: $(cat err)"
PYTHONPATH=$top/decoder/python "$python" "$here/check_swtrace.py" "$@" || fail "see above"
PYTHONPATH=$top/decoder/python "$python" "$top/samples/intervals_numpy.py" generated.bin >out ||
	fail "the sample failed"
in_file out '^3000 intervals of 64 labels$'
in_file out '^processor 0 .* CPI [0-9.]+, with idle cycles [0-9.]+, on thread [0-9.]+; busy [0-9.]+ %$'
in_file out ' 0x[0-9A-F]+: the tail takes [0-9.]+ ns more: '

# It installs offline, and works without the sources.
if "$python" -c 'import setuptools, wheel, pip' 2>/dev/null; then
	cp -R "$top/decoder/python" package
	"$python" -m pip install --quiet --no-build-isolation --no-deps --no-index --target installed ./package \
		>pip.log 2>&1 || fail "pip: $(cat pip.log)"
	PYTHONPATH=$work/installed "$python" -c 'import swtrace, sys
with swtrace.open("generated.bin") as t:
    sys.exit(len(t.intervals(["tid"])) != 3000)' || fail "the installed package does not work"
	[ -f installed/swtrace/py.typed ] || fail "the installed package has no py.typed"
else
	echo "skipped: installing the package by pip: no pip, setuptools and wheel here"
fi
