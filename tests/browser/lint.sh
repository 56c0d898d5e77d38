#!/bin/sh
# The page's scripts, by ESLint: faults, and the layout. `sh "$PWD/tests/browser/lint.sh" --fix` changes the layout.
# Needs the npm package eslint-linter-browserify, which holds ESLint in one file.
# CPIDECODE, MKTRACE, GENTRACE and PACKAGES are those of tests/exports/lib.sh.
# shellcheck source=../exports/lib.sh
. "${0%/*}/../exports/lib.sh"

npm_package eslint-linter-browserify 9.39.1 9162dd2b2d0203b6b8a0f1e5a0a8cd602edb17459109012609f0a3254e1c3239
# shellcheck disable=SC2154 # of lib.sh
node "$here/lint.mjs" "$package" "$@" || fail "the scripts have faults"
