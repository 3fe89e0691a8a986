/* Text of any length. */
#include <spmvgen/spmvgen.h>
#include <stdlib.h>

char* info_text(const spmvgen_handle* handle);

/* All that the handle tells, for free(); NULL when that fails. */
char* info_text(const spmvgen_handle* handle) {
    size_t needed = 0;
    if (spmvgen_info(handle, NULL, 0, &needed) != SPMVGEN_OK) return NULL;
    char* text = malloc(needed);
    if (text != NULL) spmvgen_info(handle, text, needed, &needed);
    return text;
}
