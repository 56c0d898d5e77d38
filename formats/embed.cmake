# Turns a file into a C file that holds its bytes:
#	cmake -DINPUT=... -DOUTPUT=... -DNAME=... -P embed.cmake
# NAME is a const unsigned char array, NAME_size its length.
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
       "\\1\n\t" bytes "${bytes}")
get_filename_component(from "${INPUT}" NAME)
file(WRITE "${OUTPUT}.new" "/* Made from ${from}; not for editing. */
extern const unsigned char ${NAME}[];
extern const unsigned ${NAME}_size;

const unsigned char ${NAME}[] = {
\t${bytes}
};
const unsigned ${NAME}_size = sizeof ${NAME};
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
