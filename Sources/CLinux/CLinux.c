// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <sys/timex.h>
#include "CLinux.h"

int clinux_stack(void **address, size_t *size) {
    pthread_attr_t attributes;
    int result = pthread_getattr_np(pthread_self(), &attributes);
    if (result != 0) return result;
    result = pthread_attr_getstack(&attributes, address, size);
    pthread_attr_destroy(&attributes);
    return result;
}

int clinux_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

long clinux_clock_error(void) {
    struct timex state = {.modes = 0};
    int result = adjtimex(&state);
    return result < 0 || result == TIME_ERROR ? -1 : state.maxerror;
}
