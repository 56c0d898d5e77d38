#!/bin/sh
. "${0%/*}/lib.sh"

run 0 --help
quiet
in_file out '^Usage: cpidecode '
for word in summary intervals hooks cpus info text csv json folded svg thread_cycles --label \
	--minor --cpu --tid --pid --from --to --strict --schema --weight --version -o; do
	in_file out "$word"
done
run 0 --version
quiet
in_file out '^cpidecode [0-9]+\.[0-9]+\.[0-9]+$'
