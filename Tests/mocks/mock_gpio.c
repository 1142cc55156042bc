// SPDX-License-Identifier: Apache-2.0
// GPIO chips made of software below the kernel's own calls: loaded first into a test process, it
// answers open(2), ioctl(2) and what libgpiod asks of sysfs, in both versions of the interface:
// libgpiod 1.x speaks version 1, 2.x version 2.
//   /dev/gpiochip0 [mock-bank], 32 lines: 17 is named BUTTON, 27 LED, and 5 is used by the
//   driver leds-gpio
//   /dev/gpiochip1 [mock-expander], 8 lines
// Every request, change and release of a line is noted, and appended to the file $MOCK_GPIO_LOG
// where that is set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { CHIPS = 2, LINES = 32, FILES = 1024, NOTES = 512, MAJOR = 254 };

static const struct { const char *name, *label; unsigned lines; } chips[CHIPS] = {
    {"gpiochip0", "mock-bank", 32}, {"gpiochip1", "mock-expander", 8}};

static struct line {
    int level;                // at the pin
    int active_low, is_output;
    int fd;                   // of the request, 0 for none
    int events;               // where its edges are written, 0 for none
    int version;              // of the interface
    uint32_t sequence;
} lines[CHIPS][LINES];

static struct file { int chip, is_chip, is_request; } files[FILES];
static char notes[NOTES][96];
static int refusal;  // the error number of opening a chip, 0 for none
static unsigned note_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void note(const char *format, ...) {
    char text[96];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (note_count < NOTES) strcpy(notes[note_count++], text);
    const char *log = getenv("MOCK_GPIO_LOG");
    if (!log) return;
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int (*real_close)(int) = dlsym(RTLD_NEXT, "close");
    int file = real_open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return;
    strcat(text, "\n");
    if (write(file, text, strlen(text)) < 0) abort();
    real_close(file);
}

static int chip_of(const char *path, const char *prefix) {
    size_t length = strlen(prefix);
    for (int i = 0; i < CHIPS; i++)
        if (strncmp(path, prefix, length) == 0 && strcmp(path + length, chips[i].name) == 0) return i;
    return -1;
}

int open(const char *path, int flags, ...) {
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    int chip = chip_of(path, "/dev/");
    for (int i = 0; i < CHIPS; i++) {
        char attribute[64];
        snprintf(attribute, sizeof attribute, "/sys/bus/gpio/devices/%s/dev", chips[i].name);
        if (strcmp(path, attribute)) continue;
        char number[16];
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) < 0) return -1;
        snprintf(number, sizeof number, "%d:%d\n", MAJOR, i);
        if (write(ends[1], number, strlen(number)) < 0) abort();
        close(ends[1]);
        return ends[0];
    }
    if (chip < 0) return real(path, flags, mode);
    if (refusal) return errno = refusal, -1;
    int fd = eventfd(0, EFD_CLOEXEC);  // any descriptor will do
    if (fd >= 0 && fd < FILES) files[fd] = (struct file){.chip = chip, .is_chip = 1};
    return fd;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int access(const char *path, int mode) {
    int (*real)(const char *, int) = dlsym(RTLD_NEXT, "access");
    if (chip_of(path, "/dev/") >= 0 || strncmp(path, "/sys/bus/gpio/devices/gpiochip", 30) == 0) return 0;
    return real(path, mode);
}

static int device(const char *path, struct stat *status) {
    int chip = chip_of(path, "/dev/");
    if (chip < 0) return -1;
    memset(status, 0, sizeof *status);
    status->st_mode = S_IFCHR | 0660;
    status->st_rdev = makedev(MAJOR, (unsigned)chip);
    return 0;
}

int stat(const char *path, struct stat *status) {
    int (*real)(const char *, struct stat *) = dlsym(RTLD_NEXT, "stat");
    return device(path, status) == 0 ? 0 : real(path, status);
}

int lstat(const char *path, struct stat *status) {
    int (*real)(const char *, struct stat *) = dlsym(RTLD_NEXT, "lstat");
    return device(path, status) == 0 ? 0 : real(path, status);
}

char *realpath(const char *path, char *resolved) {
    char *(*real)(const char *, char *) = dlsym(RTLD_NEXT, "realpath");
    if (strncmp(path, "/sys/dev/char/254:", 18) == 0) return resolved ? strcpy(resolved, "/sys/bus/gpio") : strdup("/sys/bus/gpio");
    return real(path, resolved);
}

int close(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "close");
    pthread_mutex_lock(&mutex);
    if (fd >= 0 && fd < FILES && files[fd].is_request) {
        for (unsigned i = 0; i < LINES; i++) {
            struct line *line = &lines[files[fd].chip][i];
            if (line->fd != fd) continue;
            note("release %u", i);
            if (line->events) real(line->events);
            *line = (struct line){.level = line->level};
        }
    }
    if (fd >= 0 && fd < FILES) files[fd] = (struct file){0};
    pthread_mutex_unlock(&mutex);
    return real(fd);
}

static const char *name_of(int chip, unsigned line) {
    return chip == 0 && line == 17 ? "BUTTON" : chip == 0 && line == 27 ? "LED" : "";
}

static const char *user_of(int chip, unsigned line) {
    return chip == 0 && line == 5 ? "leds-gpio" : lines[chip][line].fd ? "studyd" : "";
}

// The common part of all requests: a descriptor that stands for the lines, with their settings.
static int request(int chip, const uint32_t *offsets, unsigned count, struct line settings, int has_events) {
    for (unsigned i = 0; i < count; i++) {
        if (offsets[i] >= chips[chip].lines) return errno = EINVAL, -1;
        if (*user_of(chip, offsets[i])) return errno = EBUSY, -1;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0 || ends[0] >= FILES) return -1;
    files[ends[0]] = (struct file){.chip = chip, .is_request = 1};
    for (unsigned i = 0; i < count; i++) {
        struct line *line = &lines[chip][offsets[i]];
        int level = line->level;
        *line = settings;
        line->level = settings.is_output ? settings.level : level;
        line->fd = ends[0];
        line->events = has_events ? (i == 0 ? ends[1] : dup(ends[1])) : 0;
    }
    if (!has_events) close(ends[1]);
    return ends[0];
}

static void note_input(unsigned line, const char *bias, int low, unsigned debounce, const char *consumer) {
    note("input %u%s%s both edges, debounce %u us, by %s", line, bias, low ? " active-low" : "", debounce, consumer);
}

static const char *bias_v1(uint32_t flags) {
    return flags & GPIOHANDLE_REQUEST_BIAS_PULL_UP     ? " pull-up"
           : flags & GPIOHANDLE_REQUEST_BIAS_PULL_DOWN ? " pull-down"
           : flags & GPIOHANDLE_REQUEST_BIAS_DISABLE   ? " no-bias"
                                                       : "";
}

static const char *bias_v2(uint64_t flags) {
    return flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP     ? " pull-up"
           : flags & GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN ? " pull-down"
           : flags & GPIO_V2_LINE_FLAG_BIAS_DISABLED  ? " no-bias"
                                                      : "";
}

static int request_v2(int chip, struct gpio_v2_line_request *asked) {
    uint64_t flags = asked->config.flags, values = 0;
    unsigned debounce = 0;
    for (unsigned i = 0; i < asked->config.num_attrs; i++) {
        struct gpio_v2_line_attribute *attribute = &asked->config.attrs[i].attr;
        if (attribute->id == GPIO_V2_LINE_ATTR_ID_FLAGS) flags = attribute->flags;
        if (attribute->id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES) values = attribute->values;
        if (attribute->id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE) debounce = attribute->debounce_period_us;
    }
    int is_output = (flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0, low = (flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0;
    int edges = (flags & GPIO_V2_LINE_FLAG_EDGE_RISING) && (flags & GPIO_V2_LINE_FLAG_EDGE_FALLING);
    if (flags & (GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME)) return errno = EINVAL, -1;
    struct line settings = {.active_low = low, .is_output = is_output, .version = 2,
                            .level = (int)(values & 1) ^ low};
    asked->fd = request(chip, asked->offsets, asked->num_lines, settings, edges);
    if (asked->fd < 0) return -1;
    for (unsigned i = 0; i < asked->num_lines; i++) {
        if (is_output) note("output %u%s = %d, by %s", asked->offsets[i], low ? " active-low" : "", (int)(values & 1), asked->consumer);
        else note_input(asked->offsets[i], bias_v2(flags), low, debounce, asked->consumer);
    }
    return 0;
}

static int chip_call(int chip, unsigned long call, void *argument) {
    switch (call) {
    case GPIO_GET_CHIPINFO_IOCTL: {
        struct gpiochip_info *info = argument;
        *info = (struct gpiochip_info){.lines = chips[chip].lines};
        strcpy(info->name, chips[chip].name);
        strcpy(info->label, chips[chip].label);
        return 0;
    }
    case GPIO_GET_LINEINFO_IOCTL: {
        struct gpioline_info *info = argument;
        unsigned line = info->line_offset;
        if (line >= chips[chip].lines) return errno = EINVAL, -1;
        *info = (struct gpioline_info){.line_offset = line, .flags = *user_of(chip, line) ? GPIOLINE_FLAG_KERNEL : 0};
        strcpy(info->name, name_of(chip, line));
        strcpy(info->consumer, user_of(chip, line));
        return 0;
    }
    case GPIO_V2_GET_LINEINFO_IOCTL: {
        struct gpio_v2_line_info *info = argument;
        unsigned line = info->offset;
        if (line >= chips[chip].lines) return errno = EINVAL, -1;
        *info = (struct gpio_v2_line_info){.offset = line, .flags = *user_of(chip, line) ? GPIO_V2_LINE_FLAG_USED : 0};
        strcpy(info->name, name_of(chip, line));
        strcpy(info->consumer, user_of(chip, line));
        return 0;
    }
    case GPIO_GET_LINEEVENT_IOCTL: {
        struct gpioevent_request *asked = argument;
        struct line settings = {.active_low = (asked->handleflags & GPIOHANDLE_REQUEST_ACTIVE_LOW) != 0, .version = 1};
        asked->fd = request(chip, &asked->lineoffset, 1, settings, asked->eventflags == GPIOEVENT_REQUEST_BOTH_EDGES);
        if (asked->fd >= 0)
            note_input(asked->lineoffset, bias_v1(asked->handleflags), settings.active_low, 0, asked->consumer_label);
        return asked->fd < 0 ? -1 : 0;
    }
    case GPIO_GET_LINEHANDLE_IOCTL: {
        struct gpiohandle_request *asked = argument;
        int low = (asked->flags & GPIOHANDLE_REQUEST_ACTIVE_LOW) != 0;
        struct line settings = {.active_low = low, .is_output = (asked->flags & GPIOHANDLE_REQUEST_OUTPUT) != 0, .version = 1,
                                .level = asked->default_values[0] ^ low};
        asked->fd = request(chip, asked->lineoffsets, asked->lines, settings, 0);
        if (asked->fd >= 0)
            note("output %u%s = %d, by %s", asked->lineoffsets[0], low ? " active-low" : "", asked->default_values[0],
                 asked->consumer_label);
        return asked->fd < 0 ? -1 : 0;
    }
    case GPIO_V2_GET_LINE_IOCTL: return request_v2(chip, argument);
    }
    return errno = ENOTTY, -1;
}

// The requested lines of a descriptor in the order of their offsets; the tests request them so.
static int line_call(int fd, unsigned long call, void *argument) {
    int chip = files[fd].chip;
    unsigned index = 0;
    for (unsigned i = 0; i < LINES; i++) {
        struct line *line = &lines[chip][i];
        if (line->fd != fd) continue;
        int value = line->level ^ line->active_low;
        if (call == GPIOHANDLE_GET_LINE_VALUES_IOCTL) ((struct gpiohandle_data *)argument)->values[index] = (uint8_t)value;
        if (call == GPIO_V2_LINE_GET_VALUES_IOCTL) {
            struct gpio_v2_line_values *values = argument;
            if (values->mask >> index & 1) values->bits = (values->bits & ~(1ull << index)) | (uint64_t)value << index;
        }
        int asked = -1;
        if (call == GPIOHANDLE_SET_LINE_VALUES_IOCTL) asked = ((struct gpiohandle_data *)argument)->values[index];
        if (call == GPIO_V2_LINE_SET_VALUES_IOCTL) {
            struct gpio_v2_line_values *values = argument;
            if (values->mask >> index & 1) asked = (int)(values->bits >> index & 1);
        }
        if (asked >= 0) {
            line->level = asked ^ line->active_low;
            note("set %u %d", i, asked);
        }
        index++;
    }
    return index ? 0 : (errno = ENOTTY, -1);
}

int ioctl(int fd, unsigned long call, ...) {
    int (*real)(int, unsigned long, void *) = dlsym(RTLD_NEXT, "ioctl");
    va_list arguments;
    va_start(arguments, call);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    call = (unsigned)call;  // as the kernel does: libgpiod passes some as an int
    if (fd < 0 || fd >= FILES || !(files[fd].is_chip || files[fd].is_request)) return real(fd, call, argument);
    return files[fd].is_chip ? chip_call(files[fd].chip, call, argument) : line_call(fd, call, argument);
}

// The pin of a line of chip 0 takes a level at that time of CLOCK_MONOTONIC, and the kernel says
// so.
void mock_gpio_drive(unsigned offset, int level, int64_t nanoseconds) {
    pthread_mutex_lock(&mutex);
    struct line *line = &lines[0][offset];
    line->level = level;
    int rises = level ^ line->active_low;
    if (line->events && line->version == 1) {
        struct gpioevent_data event = {(uint64_t)nanoseconds, rises ? GPIOEVENT_EVENT_RISING_EDGE : GPIOEVENT_EVENT_FALLING_EDGE};
        if (write(line->events, &event, sizeof event) < 0) abort();
    } else if (line->events) {
        struct gpio_v2_line_event event = {
            .timestamp_ns = (uint64_t)nanoseconds,
            .id = rises ? GPIO_V2_LINE_EVENT_RISING_EDGE : GPIO_V2_LINE_EVENT_FALLING_EDGE,
            .offset = offset, .seqno = line->sequence + 1, .line_seqno = line->sequence + 1};
        line->sequence++;
        if (write(line->events, &event, sizeof event) < 0) abort();
    }
    pthread_mutex_unlock(&mutex);
}

// The pin of a line of chip 0 takes a level, and nothing reports it: the edges were
// lost in an overflow.
void mock_gpio_lose(unsigned offset, int level, unsigned edges) {
    lines[0][offset].level = level;
    lines[0][offset].sequence += edges;
}

// The level at the pin of a line of chip 0.
int mock_gpio_level(unsigned offset) { return lines[0][offset].level; }

// What was done with lines since the last `mock_gpio_reset`; NULL after the last.
const char *mock_gpio_note(unsigned index) { return index < note_count ? notes[index] : NULL; }

// From now on opening a chip fails with that error number.
void mock_gpio_refuse(int code) { refusal = code; }

void mock_gpio_reset(void) {
    note_count = 0;
    refusal = 0;
    for (unsigned i = 0; i < LINES; i++) lines[0][i].level = 0;
}
