// SPDX-License-Identifier: Apache-2.0
// adjtimex(2) and clock_gettime(2) of a kernel whose NTP client is systemd-timesyncd, for
// LD_PRELOAD. The file named by KERNEL_CLOCK says "alone" (TIME_ERROR with STA_UNSYNC and both
// errors at NTP_PHASE_LIMIT: what second_overflow() in kernel/time/ntp.c leaves after nine hours),
// "denied" (EPERM: what a filter of system calls answers), or "in contact N SLEPT SHOWN AGE":
// TIME_OK; both errors were set to zero AGE seconds before N was seen first, as timesyncd writes
// them, and the kernel has added 500 us a second since; the machine has slept for SLEPT seconds, of
// which the wall clock shows SHOWN. A sleep touches nothing else, as timekeeping_resume() in kernel/time/timekeeping.c.
// The file KERNEL_CLOCK.raw is made when CLOCK_MONOTONIC_RAW is read.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

struct word {
    char text[64];
    int contact;
    long slept, shown, age;
};

static struct word now(void) {
    struct word word = {.text = ""};
    int file = open(getenv("KERNEL_CLOCK"), O_RDONLY | O_CLOEXEC);
    if (file < 0) return word;
    if (read(file, word.text, sizeof word.text - 1) < 0) word.text[0] = 0;
    close(file);
    sscanf(word.text, "in contact %d %ld %ld %ld", &word.contact, &word.slept, &word.shown, &word.age);
    return word;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int saved = errno;
    if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
    if (clock == CLOCK_REALTIME) time->tv_sec += now().shown;
    if (clock == CLOCK_BOOTTIME) time->tv_sec += now().slept;
    if (clock == CLOCK_MONOTONIC_RAW) {
        char path[512];
        snprintf(path, sizeof path, "%s.raw", getenv("KERNEL_CLOCK"));
        int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (file >= 0) close(file);
    }
    errno = saved;
    return 0;
}

int adjtimex(struct timex *state) {
    static int contact = -1;
    static struct timespec since;
    struct word word = now();
    struct timespec time;
    if (strncmp(word.text, "denied", 6) == 0) {
        errno = EPERM;
        return -1;
    }
    int synchronised = strncmp(word.text, "in contact", 10) == 0;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    if (synchronised && word.contact != contact) {
        contact = word.contact;
        since = time;
    }
    memset(state, 0, sizeof *state);
    state->status = synchronised ? STA_PLL | STA_NANO : STA_UNSYNC;
    state->maxerror = synchronised ? (time.tv_sec - since.tv_sec + word.age) * 500 : 16000000;
    state->esterror = synchronised ? 0 : 16000000;
    return synchronised ? TIME_OK : TIME_ERROR;
}
