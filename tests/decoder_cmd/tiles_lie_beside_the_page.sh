#!/bin/sh
# --format html --tiles: the intervals in a file beside the page, and refused options.
. "${0%/*}/lib.sh"

run 0 --format html --tiles -o page.html plain.bin
[ ! -s out ] || fail "something on standard output"
in_file page.html '<html lang="en" aria-busy="true" data-tiles>'
not_in_file page.html 'class="(core|more)"'
[ "$(head -c 8 page.tiles)" = SWTTILE1 ] || fail "page.tiles does not begin with SWTTILE1"
[ "$(tail -c 8 page.tiles)" = SWTTILE1 ] || fail "page.tiles does not end with SWTTILE1"

# The same bytes for any number of threads, and over older tiles; another name gets the suffix.
cp page.tiles first.tiles
run 0 -j1 --format html --tiles -o page.html plain.bin
cmp page.tiles first.tiles || fail "-j1 changes the tiles"
run 0 -j3 --format html --tiles -o page plain.bin
cmp page.tiles first.tiles || fail "-j3 changes the tiles"
run 0 --format html --tiles -o page.htm plain.bin
cmp page.htm.tiles first.tiles || fail "page.htm.tiles"

# Without intervals there is a page, too.
run 0 --format html --tiles --label none -o none.html plain.bin
[ "$(tail -c 8 none.tiles)" = SWTTILE1 ] || fail "none.tiles"

for where in '' '-o-'; do
	# shellcheck disable=SC2086 # nothing is no argument
	run 2 --format html --tiles $where plain.bin
	in_file err 'cpidecode: --tiles: tiles go next to the page: give the page a file with -o'
done
run 2 --format csv --tiles -o page.csv plain.bin
in_file err 'cpidecode: --tiles goes with --format html'
run 2 --format html --tiles --tiles-dir -o page.html plain.bin
in_file err '--tiles and --tiles-dir exclude each other'
run 2 serve --tiles-dir plain.bin
in_file err '--tiles-dir does not go with serve'

# A file without tiles is not replaced, and then no page is written either.
echo mine >kept.tiles
run 1 --format html --tiles -o kept.html plain.bin
in_file err 'kept.tiles: not a file of tiles'
[ "$(cat kept.tiles)" = mine ] || fail "kept.tiles was replaced"
[ ! -e kept.html ] || fail "there is a page without its tiles"
mkdir folder.tiles
run 1 --format html --tiles -o folder.html plain.bin
in_file err 'folder.tiles: not a file of tiles'
run 2 --format html --tiles -o /dev/null plain.bin
in_file err 'give the page a file with -o'

# A folder of scripts holds the same bytes.
run 0 --format html --tiles-dir -o scripts.html plain.bin
[ "$(ls scripts-tiles)" = 0000.js ] || fail "scripts-tiles"
sed 's/^tilesChunk(0, "//; s/");$//' scripts-tiles/0000.js | base64 -d >scripts.tiles
cmp scripts.tiles first.tiles || fail "the folder has other tiles"
run 1 --format html --tiles-dir -o scripts.html plain.bin
in_file err 'scripts-tiles: there is something in it'
run 2 --format html --tiles-dir plain.bin
in_file err 'cpidecode: --tiles-dir: tiles go next to the page'
run 2 --format csv --tiles-dir -o page.csv plain.bin
in_file err 'cpidecode: --tiles-dir goes with --format html'

# Nothing unfinished is left.
[ -z "$(find . -name '.*.tmp')" ] || fail "a temporary file is left"
