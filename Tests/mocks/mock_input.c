// SPDX-License-Identifier: Apache-2.0
// An event device made of software below the kernel's own calls: /dev/input/event7, which the
// kernel calls "Mock Joystick". Its events are stamped with the clock that EVIOCSCLOCKID chose, as
// the kernel does; it can overflow and be pulled out.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const char device_path[] = "/dev/input/event7", name_path[] = "/sys/class/input/event7/device/name";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int reader = -1, writer = -1;  // of the pipe that stands for the device while it is open
static int is_gone, clock_id = CLOCK_REALTIME;
static unsigned char held[KEY_MAX / 8 + 1];

int open(const char *path, int flags, ...) {
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    int is_device = strcmp(path, device_path) == 0;
    if (!is_device && strcmp(path, name_path)) return real(path, flags, mode);
    if (is_gone) return errno = is_device ? ENODEV : ENOENT, -1;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | (flags & O_NONBLOCK)) < 0) return -1;
    if (is_device) {
        reader = ends[0], writer = ends[1];
        clock_id = CLOCK_REALTIME;
    } else {
        if (write(ends[1], "Mock Joystick\n", 14) < 0) abort();
        close(ends[1]);
    }
    return ends[0];
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "close");
    pthread_mutex_lock(&mutex);
    if (fd >= 0 && fd == reader) {
        reader = -1;
        if (writer >= 0) real(writer);
        writer = -1;
    }
    pthread_mutex_unlock(&mutex);
    return real(fd);
}

ssize_t read(int fd, void *buffer, size_t size) {
    ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    if (fd >= 0 && fd == reader && is_gone) return errno = ENODEV, -1;
    return real(fd, buffer, size);
}

int ioctl(int fd, unsigned long call, ...) {
    int (*real)(int, unsigned long, void *) = dlsym(RTLD_NEXT, "ioctl");
    va_list arguments;
    va_start(arguments, call);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (fd < 0 || fd != reader) return real(fd, call, argument);
    if (is_gone) return errno = ENODEV, -1;
    if (call == EVIOCSCLOCKID) return clock_id = *(int *)argument, 0;
    if (_IOC_TYPE(call) == 'E' && _IOC_NR(call) == _IOC_NR(EVIOCGKEY(0))) {
        size_t size = _IOC_SIZE(call) < sizeof held ? _IOC_SIZE(call) : sizeof held;
        memcpy(argument, held, size);
        return (int)size;
    }
    return errno = ENOTTY, -1;
}

static void send(int type, int code, int value) {
    struct timespec time;
    clock_gettime(clock_id, &time);
    struct input_event event = {.type = (unsigned short)type, .code = (unsigned short)code, .value = value};
    event.input_event_sec = time.tv_sec;
    event.input_event_usec = time.tv_nsec / 1000;
    if (writer >= 0 && write(writer, &event, sizeof event) < 0) abort();
}

// A key moves; `is_told` is 0 when the event gets lost.
void mock_input_key(int code, int is_down, int is_told) {
    held[code / 8] = (unsigned char)((held[code / 8] & ~(1 << code % 8)) | is_down << code % 8);
    if (!is_told) return;
    send(EV_KEY, code, is_down);
    send(EV_SYN, SYN_REPORT, 0);
}

// The kernel says that it lost events, and ends the report.
void mock_input_overflow(void) {
    send(EV_SYN, SYN_DROPPED, 0);
    send(EV_SYN, SYN_REPORT, 0);
}

// The device is pulled out, which ends a wait for it, or put back.
void mock_input_plug(int is_plugged) {
    int (*real_close)(int) = dlsym(RTLD_NEXT, "close");
    pthread_mutex_lock(&mutex);
    is_gone = !is_plugged;
    memset(held, 0, sizeof held);
    if (is_gone && writer >= 0) {
        real_close(writer);
        writer = -1;
    }
    pthread_mutex_unlock(&mutex);
}

// The clock that events are stamped with.
int mock_input_clock(void) { return clock_id; }
