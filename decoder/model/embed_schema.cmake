# Turns a schema's text into a C file with schema_builtin(): -DINPUT=... -DOUTPUT=...
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
       "\\1\n\t" bytes "${bytes}")
file(WRITE "${OUTPUT}.new" "/* Made from formats/cpi.hooks; not for editing. */
#include <stddef.h>

const char *schema_builtin(size_t *length);

static const unsigned char text[] = {
\t${bytes}
};

const char *schema_builtin(size_t *length)
{
\t*length = sizeof text;
\treturn (const char *)text;
}
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
