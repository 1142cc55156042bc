// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>
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

int clinux_join_within(pthread_t thread, long milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long nanoseconds = until.tv_nsec + milliseconds % 1000 * 1000000;
    until.tv_sec += milliseconds / 1000 + nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until);
}

pid_t clinux_thread_id(void) { return gettid(); }

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

int clinux_read_kernel_clock(struct clinux_kernel_clock *clock) {
    struct timex state = {.modes = 0};
    int result = adjtimex(&state);
    if (result < 0) return -1;
    clock->synchronised = result != TIME_ERROR;
    clock->max_error = state.maxerror;
    clock->estimated_error = state.esterror;
    clock->offset = (int64_t)state.offset * (state.status & STA_NANO ? 1 : 1000);
    return 0;
}

int clinux_network_watch(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                  .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

int clinux_replace(int descriptor, int with) { return dup3(with, descriptor, O_CLOEXEC); }

static _Atomic int caught_signal;
static _Atomic int signal_eventfd = -1;

static void note_signal(int number) {
    int before = errno;
    uint64_t one = 1;
    int file = signal_eventfd;
    caught_signal = number;
    if (file >= 0 && write(file, &one, sizeof one) < 0) caught_signal = number;
    errno = before;
}

int clinux_catch_signal(int number, int eventfd) {
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    signal_eventfd = eventfd;
    return sigaction(number, &action, NULL);
}

int clinux_caught_signal(void) { return atomic_exchange(&caught_signal, 0); }

void clinux_release_signals(const int *numbers, int count, int eventfd) {
    int own = eventfd;
    if (!atomic_compare_exchange_strong(&signal_eventfd, &own, -1)) return;
    for (int i = 0; i < count; i++) signal(numbers[i], SIG_DFL);
}

// Text relocations write into what is otherwise only read (DT_TEXTREL; Debian's policy forbids them): what they wrote would be lost.
static int is_written(const struct dl_phdr_info *object) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        for (const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr); entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return 1;
        }
    }
    return 0;
}

// The dynamic linker holds its lock meanwhile, so that no object goes away. What it made read-only itself after relocation
// (PT_GNU_RELRO) lies in a writable segment, and is not touched.
static int release(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (object->dlpi_addr == getauxval(AT_SYSINFO_EHDR) || is_written(object)) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t begin = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
        if (end > begin) madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 0;
}

void clinux_release_code(void) { dl_iterate_phdr(release, NULL); }

// Asked by GnuTLS when it is loaded (GNUTLS_SKIP_GLOBAL_INIT of gnutls.h): libcurl brings it for protocols that are not used, and it would
// look for its configuration and tokens, and keep 0.7 MB, in every start. TLS is OpenSSL's. The release build exports it.
__attribute__((used, retain, visibility("default"))) int _gnutls_global_init_skip(void) { return 1; }
