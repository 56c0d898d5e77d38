#!/bin/sh
. "${0%/*}/lib.sh"

# Fields of a user's schema: signed, unmeasured, repeated, a string with a quote, a hook that is cut off.
make_clocked u.bin <<'END'
cpus 1
section schema
| major 0x20 app "Application"
| hook 0x1 "request"
|   i32 delta
|   u32 size na0
|   u32 parts
|   repeat parts
|     u32 part
|   end
|   string path
| hook 0x2 "plain"
|   u32 a
|   u64 b
section hooks ring=0
hook 0x20 1 tid=1 at=1000 0xFFFFFFFE 0 2 7 8 "/a \"b\"\n"
hook 0x20 1 at=2000 5 6 0 "/c"
hook 0x20 2 at=3000 1 64:4294967296
hook 0x20 2 at=4000 1
hook 0x21 2 at=5000 1
section end
END
run 0 --report hooks u.bin
cat >expected <<'END'
00000020 00000001 FFFFFFFE 00000000 00000002 00000007 00000008 "/a \"b\"\n" request delta=-2 size=n/a parts=2 part=7,8 path="/a \"b\"\n"
00000020 00000001 00000005 00000006 00000000 "/c" request delta=5 size=6 parts=0 path="/c"
00000020 00000002 00000001 00000001 00000000 plain a=1 b=4294967296
00000020 00000002 00000001 plain a=1 [short]
00000021 00000002 00000001
END
sed 's/^.* 1 000000/000000/' out | cmp - expected || fail "fields"

# Text and JSON have the same fields.
command -v python3 >/dev/null || skip "fields of text beside those of JSON: no python3"
cat >compare.py <<'END'
import json, sys

def spell(value):
    if isinstance(value, list):
        return ",".join(map(spell, value))
    return "n/a" if value is None else value if isinstance(value, Number) else f'"{value}"'

class Number(str):
    pass

lines = 0
for text, row in zip(open(sys.argv[1]), open(sys.argv[2])):
    row = json.loads(row, parse_int=Number, parse_float=Number)
    if row["fields"] is None:
        continue
    fields = "".join(f" {name}={spell(value)}" for name, value in row["fields"].items())
    assert text.endswith(f' {row["name"]}{fields}\n'), (text, fields)
    lines += 1
assert lines > 1000
END
"$GENTRACE" -k mixed -n 1000 -c 2 g.bin
run 0 --report hooks --format json g.bin
mv out json
run 0 --report hooks g.bin
python3 compare.py out json || fail "other fields than JSON"
