# Makes the C file behind cpi_schema.h: -DINPUT=... -DOUTPUT=...
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
       "\\1\n\t" bytes "${bytes}")
file(WRITE "${OUTPUT}" "/* Made from formats/cpi.hooks; not for editing. */
#include \"cpi_schema.h\"

const char swtrace_cpi_schema[] = {
\t${bytes}
};
const unsigned swtrace_cpi_schema_size = sizeof swtrace_cpi_schema;
")
