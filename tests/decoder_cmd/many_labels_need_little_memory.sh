#!/bin/sh
# Reports of very many labels take at most three times the memory of their own bytes, beside what
# the command needs for itself.
# shellcheck disable=SC3045 # the shells that run this know ulimit -d
. "${0%/*}/lib.sh"
: "${GENTRACE:?the maker of large traces gentrace}"

base=24000

# A sanitizer's shadow memory alone is more than that.
if ! (ulimit -d "$base" && "$CPIDECODE" --version) >/dev/null 2>&1; then
	echo "skipped: the command needs more than $base KiB for itself"
	exit 77
fi

"$GENTRACE" -k groups -n 50k -l 500k -e -d 1 -p label -z lz4 labels.bin

# within ARGUMENTS...: the report's text, with memory for three times the larger of text and CSV.
within()
{
	run 0 --format csv "$@"
	csv=$(wc -c <out)
	run 0 "$@"
	mv out expected
	text=$(wc -c <expected)
	limit=$((base + 3 * (csv > text ? csv : text) / 1024))
	(
		ulimit -d "$limit"
		run 0 -j 1 "$@"
	)
	cmp -s out expected || fail "$*: other bytes with little memory"
}

within --report summary labels.bin
within --report diff labels.bin labels.bin

# Eight intervals of each label, on average.
"$GENTRACE" -k groups -n 80k -l 10k -e -d 1 -p label,summary -z lz4 several.bin
within --report summary several.bin
within --report diff several.bin several.bin

# Labels with figures of each processor, and of CPU utilisation.
"$GENTRACE" -k groups -n 30k -l 7500 -c 8 -e -d 1 -p label,cpus -z lz4 cpus.bin
within --report cpus cpus.bin

"$GENTRACE" -k groups -u -n 40k -l 250k -e -d 1 -p label,summary,cpus -z lz4 util.bin
within --report cpus util.bin
within --report summary util.bin
