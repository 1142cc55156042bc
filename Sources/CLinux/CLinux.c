// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
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

struct note {
    const uint8_t *bytes;
    size_t count;
};

static size_t padded(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

// Sizes are compared with what is left, so that a damaged note ends the search.
static struct note build_id(const uint8_t *at, size_t left, size_t alignment) {
    ElfW(Nhdr) head;
    while (left >= sizeof head) {
        memcpy(&head, at, sizeof head);
        size_t description = padded(sizeof head + head.n_namesz, alignment);
        size_t whole = padded(description + head.n_descsz, alignment);
        if (whole > left) break;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(at + sizeof head, "GNU", 4) == 0)
            return (struct note){at + description, head.n_descsz};
        at += whole;
        left -= whole;
    }
    return (struct note){NULL, 0};
}

// The program is the image that is visited first.
static int visit_program(struct dl_phdr_info *image, size_t size, void *result) {
    (void)size;
    struct note *found = result;
    for (int i = 0; i < image->dlpi_phnum && found->count == 0; i++) {
        const ElfW(Phdr) *segment = &image->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE) continue;
        const uint8_t *start = (const uint8_t *)(image->dlpi_addr + segment->p_vaddr);
        *found = build_id(start, segment->p_memsz, segment->p_align == 8 ? 8 : 4);
    }
    return 1;
}

size_t clinux_build_id(const uint8_t **bytes) {
    struct note found = {NULL, 0};
    dl_iterate_phdr(visit_program, &found);
    *bytes = found.bytes;
    return found.count;
}

int clinux_sync_file_system(int descriptor) { return syncfs(descriptor); }

void clinux_begin_writing(int descriptor) { (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); }
