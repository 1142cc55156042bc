// SPDX-License-Identifier: Apache-2.0
// What Swift's Glibc module does not show of the kernel: no logic, only declarations, and calls
// that are variadic or whose numbers are macros Swift cannot import.
#ifndef STUDYD_CLINUX_H
#define STUDYD_CLINUX_H

// No _GNU_SOURCE here: it renames a field of fd_set, which Swift's Glibc module then no longer
// recognises. What needs it is wrapped in CLinux.c.
#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/input.h>
#include <linux/serial.h>

// errno is a macro that hides a function.
static inline int clinux_errno(void) { return errno; }

// open(2) with its mode; variadic in C.
static inline int clinux_open(const char *path, int flags, unsigned mode) {
    return open(path, flags, (mode_t)mode);
}

// EPOLL_CTL_ADD of a readable descriptor that reports itself as `data.fd`.
static inline int clinux_epoll_add_readable(int epoll, int fd) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN;
    event.data.fd = fd;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static inline int clinux_epoll_remove(int epoll, int fd) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
}

// Arms a timerfd for an absolute time in nanoseconds of its clock; 0 disarms it.
static inline int clinux_timer_set(int fd, int64_t nanoseconds) {
    struct itimerspec when;
    memset(&when, 0, sizeof when);
    when.it_value.tv_sec = nanoseconds / 1000000000;
    when.it_value.tv_nsec = nanoseconds % 1000000000;
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static inline int clinux_i2c_functions(int fd, unsigned long *functions) { return ioctl(fd, I2C_FUNCS, functions); }

static inline int clinux_i2c_address(int fd, unsigned long address) { return ioctl(fd, I2C_SLAVE, address); }

// How long the adapter waits, in steps of 10 ms, and how often it tries again when arbitration is
// lost; for all its users.
static inline int clinux_i2c_patience(int fd, unsigned long timeout, unsigned long retries) {
    return ioctl(fd, I2C_TIMEOUT, timeout) < 0 ? -1 : ioctl(fd, I2C_RETRIES, retries);
}

static inline int clinux_i2c_transfer(int fd, struct i2c_msg *messages, uint32_t count) {
    struct i2c_rdwr_ioctl_data data = {messages, count};
    return ioctl(fd, I2C_RDWR, &data);
}

// One transfer: the register's number, repeated START, `count` bytes. Everything lies on the stack.
static inline int clinux_i2c_read(int fd, uint16_t address, uint8_t first, void *bytes, uint16_t count) {
    struct i2c_msg messages[2] = {{address, 0, 1, &first}, {address, I2C_M_RD, count, (uint8_t *)bytes}};
    return clinux_i2c_transfer(fd, messages, 2);
}

static inline int clinux_i2c_write(int fd, uint16_t address, uint8_t first, uint8_t value) {
    uint8_t bytes[2] = {first, value};
    struct i2c_msg message = {address, 0, 2, bytes};
    return clinux_i2c_transfer(fd, &message, 1);
}

// Stamps an event device's events with the given clock (EVIOCSCLOCKID).
static inline int clinux_input_set_clock(int fd, int clock) { return ioctl(fd, EVIOCSCLOCKID, &clock); }

// The keys that are down now, one bit per key code (EVIOCGKEY); the number of bytes written or -1.
static inline int clinux_input_keys(int fd, unsigned char *bits, int count) { return ioctl(fd, EVIOCGKEY(count), bits); }

// The fields of input_event::time have other names where time_t is wider than long.
static inline int64_t clinux_input_nanoseconds(const struct input_event *event) {
    return (int64_t)event->input_event_sec * 1000000000 + (int64_t)event->input_event_usec * 1000;
}

static inline void clinux_input_set_nanoseconds(struct input_event *event, int64_t nanoseconds) {
    event->input_event_sec = nanoseconds / 1000000000;
    event->input_event_usec = nanoseconds % 1000000000 / 1000;
}

// 8 data bits, raw, no modem lines, one byte wakes a read; -1 with errno on failure.
static inline int clinux_serial_raw(int fd, speed_t speed) {
    struct termios settings;
    if (tcgetattr(fd, &settings) < 0) return -1;
    cfmakeraw(&settings);
    settings.c_cflag &= ~(tcflag_t)(CSIZE | CSTOPB | PARENB | CRTSCTS);
    settings.c_cflag |= CS8 | CLOCAL | CREAD;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    if (cfsetispeed(&settings, speed) < 0 || cfsetospeed(&settings, speed) < 0) return -1;
    return tcsetattr(fd, TCSANOW, &settings);
}

// Bytes the driver or its chip could not keep since it was loaded; -1 where the line has no
// such count (a pty).
static inline int clinux_serial_overruns(int fd, int64_t *bytes) {
    struct serial_icounter_struct counts;
    memset(&counts, 0, sizeof counts);
    if (ioctl(fd, TIOCGICOUNT, &counts) < 0) return -1;
    *bytes = (int64_t)counts.overrun + counts.buf_overrun;
    return 0;
}

// Arms a timerfd of CLOCK_REALTIME that never rings but is cancelled when that clock is set.
static inline int clinux_timer_watch_clock(int fd) {
    struct itimerspec never;
    memset(&never, 0, sizeof never);
    never.it_value.tv_sec = sizeof(time_t) == 4 ? 0x7fffffff : 0x7fffffffffLL;
    return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

// Where and how large the calling thread's stack is; 0 or an errno value.
int clinux_stack(void **address, size_t *size);

// Names the calling thread; at most 15 bytes.
int clinux_name_thread(const char *name);

// Both ends of a pipe, close-on-exec and not blocking; reading end first.
// Waits for a thread's end, for so long at most; ETIMEDOUT when it runs on.
int clinux_join_within(pthread_t thread, long milliseconds);

// The kernel's number of the calling thread, as in /proc/self/task.
pid_t clinux_thread_id(void);

int clinux_pipe(int ends[2]);

// From now on `descriptor` stands for what `with` stands for; what it stood for is closed. -1 and
// errno on failure.
int clinux_replace(int descriptor, int with);

// The calling thread takes no signals, so that they reach the thread that waits for them.
static inline void clinux_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

// SCHED_FIFO at the given priority for a thread; 0 or an errno value.
static inline int clinux_set_fifo(pthread_t thread, int priority) {
    struct sched_param parameter;
    memset(&parameter, 0, sizeof parameter);
    parameter.sched_priority = priority;
    return pthread_setschedparam(thread, SCHED_FIFO, &parameter);
}

// RLIMIT_CORE of this process to 0, hard and soft, and PR_SET_DUMPABLE to 0, which also holds where
// core_pattern names a pipe, for which the limit is not asked (core(5)); 0 or -1.
static inline int clinux_forbid_core_dumps(void) {
    struct rlimit none = {0, 0};
    int limited = setrlimit(RLIMIT_CORE, &none);
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? limited : -1;
}

// PR_GET_DUMPABLE of this process.
static inline int clinux_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// The most that a core file of this process may hold in bytes; -1 when it cannot be told
// or is unlimited.
static inline int64_t clinux_core_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max != RLIM_INFINITY ? (int64_t)limit.rlim_max : -1;
}

/// What the kernel says of its wall clock (adjtimex(2), reading only).
struct clinux_kernel_clock {
    int synchronised;         // 0 while STA_UNSYNC or another error is set (TIME_ERROR)
    int64_t max_error;        // microseconds; the NTP client sets it, the kernel adds 500 a second
    int64_t estimated_error;  // microseconds, by the NTP client alone
    int64_t offset;           // nanoseconds that the clock is still to be moved by
};

/// 0, or -1 and errno, which is EPERM where the call is denied.
int clinux_read_kernel_clock(struct clinux_kernel_clock *clock);

/// Has the signal count in an eventfd instead of ending the process; 0, or -1 and errno.
int clinux_catch_signal(int number, int eventfd);

/// The signal that was caught last, once; 0 = none since the last call.
int clinux_caught_signal(void);

/// They end the process again, and that eventfd is not written to any more.
void clinux_release_signals(const int *numbers, int count, int eventfd);

/// A netlink socket that becomes readable when a link, an address or a route of this machine
/// changes; -1 and errno on failure.
int clinux_network_watch(void);

/// One heap, however many threads allocate; what is freed goes back to the kernel from so many
/// bytes on, and blocks of that size are mapped by themselves (mallopt(3)). Heaps of their own
/// hoard: one was seen to hold 9 MB for 5 in use.
static inline void clinux_keep_heap_small(int bytes) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, bytes);
    mallopt(M_MMAP_THRESHOLD, bytes);
}

/// The length in bytes of the build ID in this program's own image (NT_GNU_BUILD_ID, elf(5)), and
/// where it is; 0 where the linker made none.
size_t clinux_build_id(const uint8_t **bytes);

/// syncfs(2) of the file system that a descriptor is in.
int clinux_sync_file_system(int descriptor);

/// sync_file_range(2): has the kernel begin to write what is dirty of a file. Whether the medium takes it is what a sync says.
void clinux_begin_writing(int descriptor);

#endif
