#!/bin/sh
# speedscope's importer reads an export, which is valid by its schema and equals intervals.csv.
. "${0%/*}/lib.sh"

if is_read; then
	npm_package speedscope 1.25.0 2831f1e0d26df914b477e522d78b8485511495a6af81a0b88158f8b48f9e0d03
	speedscope=$package
	npm_package ajv 6.12.6 9975345b80dbf809b9bfe0c698e45c0d5223c281d3b258c74528ccfc6d13134a
fi

export_all speedscope
# shellcheck disable=SC2046,SC2086,SC2154
readers_agree 'traces, [0-9]+ intervals' node "$here/speedscope.mjs" "${package-}" "${speedscope-}" \
	$(echo $exported | tr ' ' '\n' | grep -v '\.err$')
in_file deep.err 'speedscope holds names and times: figures, arguments and losses are left out'

"$CPIDECODE" --format speedscope - <deep.bin >piped 2>/dev/null
cmp -s piped deep.speedscope || fail "from a pipe, it is another file"

# Without intervals there are no profiles.
run 0 --format speedscope --label nothing plain.bin
in_file out '"profiles":\[\],"shared":\{"frames":\[\]\}'
