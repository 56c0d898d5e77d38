#!/bin/sh
. "${0%/*}/lib.sh"

cat >tick.hooks <<'END'
major 0x10 profile "Time profile"
hook 0x20/0xFFFFFFF0 "tick"
  u32 count
  u64 place hex
  string name
  string rest
END
run 0 --schema tick.hooks --report hooks --format json --label tick plain.bin
in_file out '"name":"tick",.*"fields":\{"count":1,"place":12325863151,"name":"tick","rest":""\}\}$'
run 0 --schema tick.hooks --report hooks --label tick plain.bin
in_file out '"tick" "" tick count=1 place=12325863151 name="tick" rest=""$'
run 0 --schema tick.hooks --report info plain.bin
in_file out 'schema +0x10 profile "Time profile"$'

# A hook with less, or more, than its schema says is marked.
printf 'major 16 profile\nhook 0x23 "tick"\n i32 a\n f64 b\n u64 c\n string s\n string t\n string u\n' >tick.hooks
run 0 --schema tick.hooks --report hooks --label tick plain.bin
in_file out ' tick a=1 .*\[short\]$'
run 0 --schema=tick.hooks --report hooks --format json --label tick plain.bin
in_file out '"fit":"short"\}$'
printf 'major 16 profile\nhook 0x23 "tick"\n i32 a\n' >tick.hooks
run 0 --schema tick.hooks --report hooks --label tick plain.bin
in_file out ' tick a=1 \[long\]$'
