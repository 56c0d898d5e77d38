# Turns files into a C file that holds their bytes, joined:
#	cmake -DINPUT=... -DOUTPUT=... -DNAME=... -P embed.cmake
# NAME is a const unsigned char array, NAME_size its length.
set(bytes)
set(from)
foreach(file ${INPUT})
  file(READ "${file}" more HEX)
  string(APPEND bytes ${more})
  get_filename_component(name "${file}" NAME)
  list(APPEND from ${name})
endforeach()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
       "\\1\n\t" bytes "${bytes}")
list(JOIN from ", " from)
file(WRITE "${OUTPUT}.new" "/* Made from ${from}; not for editing. */
extern const unsigned char ${NAME}[];
extern const unsigned ${NAME}_size;

const unsigned char ${NAME}[] = {
\t${bytes}
};
const unsigned ${NAME}_size = sizeof ${NAME};
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
