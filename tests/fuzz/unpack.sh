#!/bin/sh
# The inputs that earlier searches found worth keeping: unpack.sh FOLDER makes FOLDER/TARGET/...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?the folder}"
for packed in "$here"/corpus/*.tar.gz; do
	[ ! -f "$packed" ] || tar -xzf "$packed" -C "$1"
done
