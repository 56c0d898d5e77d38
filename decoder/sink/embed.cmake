# The flame graph's style and script as byte arrays: cmake -DOUTPUT=... -DCSS=... -DJS=... -P
set(text "/* Made from flame.css and flame.js; not for editing. */\n")
foreach(name css js)
  string(TOUPPER ${name} variable)
  file(READ "${${variable}}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char flame_${name}[] = {${bytes}};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
