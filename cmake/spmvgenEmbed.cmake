# Writes OUTPUT.cpp and OUTPUT.h, which hold the bytes of INPUT: NAME (ends with a 0 that does not count) and NAME_size.
file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" lines "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," lines "${lines}")
get_filename_component(file ${INPUT} NAME)
set(declarations "/* The bytes of ${file}, with a 0 behind the last one; ${NAME}_size does not count it. */
#ifdef __cplusplus
extern \"C\" {
#endif
extern const unsigned char ${NAME}[];
extern const unsigned long ${NAME}_size;
#ifdef __cplusplus
}
#endif
")
file(WRITE ${OUTPUT}.h "#pragma once\n${declarations}")
file(WRITE ${OUTPUT}.cpp "${declarations}alignas(16) const unsigned char ${NAME}[] = {
${lines}
0x00};
const unsigned long ${NAME}_size = ${size};
")
