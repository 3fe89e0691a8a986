/* What the options database says: docs/how-to/petsc.md. */
#include "petscspmvgen.h"

#include <stdlib.h>
#include <string.h>

/* Options of a handle that nobody asked otherwise for. */
static const char default_options[] = "";

/* Options that would change what a product is, or where its vectors are. */
static const char* const ours[] = {"op",      "copy",     "device_arrays", "index_base",
                                   "num_rhs", "epilogue", "vectors",       "permuted_vectors",
                                   NULL};

PetscErrorCode SpmvgenCheck(spmvgen_status status) {
    PetscFunctionBegin;
    PetscCheck(status == SPMVGEN_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "spmvgen: %s",
               spmvgen_last_error());
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetOption(Settings* settings, PetscBool gpu, const char* name,
                                const char* value) {
    const PetscBool device = strcmp(name, "device") == 0 ? PETSC_TRUE : PETSC_FALSE;

    PetscFunctionBegin;
    for (const char* const* one = ours; *one != NULL; ++one)
        PetscCheck(strcmp(name, *one) != 0, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
                   "-mat_spmvgen_options: the option %s is not for matrices of PETSc", name);
    PetscCheck(!device || !gpu, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-mat_spmvgen_options: device=%s: matrices of aijcusparse are on the GPU that PETSc "
               "uses; leave device away",
               value);
    PetscCheck(!device || strcmp(value, "host") == 0 || strncmp(value, "simt", 4) == 0,
               PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-mat_spmvgen_options: device=%s: vectors are in the host's memory; use host or "
               "simt:ARCHITECTURE",
               value);
    PetscCall(SpmvgenCheck(spmvgen_options_set(settings->options, name, value)));
    /* Of a program's matrices some are rectangular, or few of their rows have entries: these keep
     * their order. */
    if (strcmp(name, "reorder") == 0) {
        const PetscBool square = strcmp(value, "rcm") == 0 || strcmp(value, "band-k") == 0;
        PetscCall(PetscStrncpy(settings->order, square ? value : "", sizeof settings->order));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* "a=b,c=d". */
static PetscErrorCode SetOptions(Settings* settings, PetscBool gpu, const char* list) {
    char *copy, *rest;

    PetscFunctionBegin;
    PetscCall(PetscStrallocpy(list, &copy));
    rest = copy;
    for (char* name = strsep(&rest, ","); name != NULL; name = strsep(&rest, ",")) {
        char* value = strchr(name, '=');
        if (*name == 0) continue;
        PetscCheck(value != NULL, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
                   "-mat_spmvgen_options: '%s' is not name=value", name);
        *value++ = 0;
        PetscCall(SetOption(settings, gpu, name, value));
    }
    PetscCall(PetscFree(copy));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpmvgenSettingsRead(const Patience* patience, PetscBool gpu, Settings* settings) {
    char list[8192] = "";
    PetscBool given, given_after, given_seconds;
    PetscInt after[3] = {patience->products, patience->update, 0}, count = 3;

    PetscFunctionBegin;
    settings->order[0] = 0;
    PetscCall(SpmvgenCheck(spmvgen_options_create(&settings->options)));
    /* A rank has a core, as everywhere in PETSc; who wants threads says so. Beside a GPU threads
     * take part in planning only. */
    if (!gpu && getenv("OMP_NUM_THREADS") == NULL)
        PetscCall(SetOption(settings, gpu, "threads", "1"));
    PetscCall(SetOptions(settings, gpu, default_options));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_spmvgen_options", list, sizeof list, &given));
    PetscCheck(strlen(list) + 1 < sizeof list, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-mat_spmvgen_options: use fewer than %d characters", (int)sizeof list - 1);
    PetscCall(SetOptions(settings, gpu, list));

    settings->patience = *patience;
    PetscCall(
        PetscOptionsGetIntArray(NULL, NULL, "-mat_spmvgen_after", after, &count, &given_after));
    PetscCheck(after[0] >= 0 && after[1] >= 0, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-mat_spmvgen_after: use numbers of products, 0 or more");
    PetscCheck(count < 3, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-mat_spmvgen_after: use one or two numbers: products before planning, and before "
               "new values are taken over");
    /* Who names a number of products means it, whatever they take. */
    if (given_after) {
        settings->patience.products = after[0];
        settings->patience.update = count > 1 ? after[1] : PetscMin(after[0], after[1]);
        settings->patience.seconds = 0;
    }
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-mat_spmvgen_after_seconds",
                                  &settings->patience.seconds, &given_seconds));
    PetscCheck(settings->patience.seconds >= 0, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-mat_spmvgen_after_seconds: use seconds, 0 or more");
    PetscFunctionReturn(PETSC_SUCCESS);
}
