// SPDX-License-Identifier: Apache-2.0
// Counts what the calling thread allocates; `make bench` puts it before the C library (LD_PRELOAD).
#include <errno.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// Initial-exec: other thread-local storage may itself be allocated.
static __thread unsigned long count __attribute__((tls_model("initial-exec")));

unsigned long studyd_allocations(void) { return count; }

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count++;
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **place, size_t alignment, size_t size) {
    void *got = memalign(alignment, size);
    if (!got) return ENOMEM;
    *place = got;
    return 0;
}
