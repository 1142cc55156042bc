// SPDX-License-Identifier: Apache-2.0
// adjtimex(2) of a kernel whose NTP client is systemd-timesyncd, for LD_PRELOAD. The file named by KERNEL_CLOCK says "in contact" (TIME_OK, no error: what
// timesyncd writes), "alone" (TIME_ERROR with STA_UNSYNC and both errors at NTP_PHASE_LIMIT: what second_overflow() in kernel/time/ntp.c leaves
// after nine hours), or "denied" (EPERM: what a filter of system calls answers).
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

int adjtimex(struct timex *state) {
    char word[16] = "";
    int file = open(getenv("KERNEL_CLOCK"), O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, word, sizeof word - 1) < 0) word[0] = 0;
        close(file);
    }
    if (strncmp(word, "denied", 6) == 0) {
        errno = EPERM;
        return -1;
    }
    int contact = strncmp(word, "in contact", 10) == 0;
    memset(state, 0, sizeof *state);
    state->status = contact ? STA_PLL | STA_NANO : STA_UNSYNC;
    state->maxerror = state->esterror = contact ? 0 : 16000000;
    return contact ? TIME_OK : TIME_ERROR;
}
