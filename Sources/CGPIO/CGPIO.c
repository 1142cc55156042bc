// SPDX-License-Identifier: Apache-2.0
#include "CGPIO.h"

#include <errno.h>
#include <gpiod.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static void copy_name(char *to, size_t size, const char *name) {
    if (size > 0) {
        strncpy(to, name, size - 1);
        to[size - 1] = 0;
    }
}

// The outputs that a process has, so that a buzzer does not go on when it ends
// without releasing them.
static pthread_mutex_t outputs_mutex = PTHREAD_MUTEX_INITIALIZER;
static cgpio_output *outputs;
static bool watches_exit;

static void end_outputs(void);
static void remember(cgpio_output *output);
static void forget(cgpio_output *output);

// Neither header has a version macro; only 1.x has line bulks.
#if defined(GPIOD_LINE_BULK_MAX_LINES)

int cgpio_library_major(void) { return 1; }

struct cgpio_inputs {
    struct gpiod_chip *chip;
    struct gpiod_line_bulk lines;
    int epoll;  // each line of 1.x has a descriptor of its own; this one stands for all
};

struct cgpio_output {
    struct gpiod_chip *chip;
    struct gpiod_line *line;
    cgpio_output *next;
};

static int bias_flag(enum cgpio_bias bias) {
    switch (bias) {
    case CGPIO_BIAS_DISABLED: return GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
    case CGPIO_BIAS_PULL_UP: return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    case CGPIO_BIAS_PULL_DOWN: return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    default: return 0;
    }
}

static int watch_lines(cgpio_inputs *inputs) {
    inputs->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (inputs->epoll < 0) return -1;
    for (unsigned i = 0; i < gpiod_line_bulk_num_lines(&inputs->lines); i++) {
        struct epoll_event event;
        memset(&event, 0, sizeof event);
        event.events = EPOLLIN;
        event.data.u32 = i;
        int fd = gpiod_line_event_get_fd(gpiod_line_bulk_get_line(&inputs->lines, i));
        if (fd < 0 || epoll_ctl(inputs->epoll, EPOLL_CTL_ADD, fd, &event) < 0) return -1;
    }
    return 0;
}

static void *fail_inputs(cgpio_inputs *inputs, enum cgpio_step *step, enum cgpio_step failed) {
    int saved = errno;
    *step = failed;
    if (inputs) cgpio_inputs_release(inputs);
    errno = saved;
    return NULL;
}

cgpio_inputs *cgpio_inputs_request(const char *chip, const unsigned *offsets, size_t count, enum cgpio_bias bias,
                                   bool active_low, const char *consumer, enum cgpio_step *step) {
    *step = CGPIO_STEP_NONE;
    cgpio_inputs *inputs = calloc(1, sizeof *inputs);
    if (!inputs) return fail_inputs(NULL, step, CGPIO_STEP_MEMORY);
    inputs->epoll = -1;
    gpiod_line_bulk_init(&inputs->lines);
    if (count == 0 || count > GPIOD_LINE_BULK_MAX_LINES) {
        errno = EINVAL;
        return fail_inputs(inputs, step, CGPIO_STEP_LINE);
    }
    inputs->chip = gpiod_chip_open(chip);
    if (!inputs->chip) return fail_inputs(inputs, step, CGPIO_STEP_CHIP);
    unsigned copy[GPIOD_LINE_BULK_MAX_LINES];
    memcpy(copy, offsets, count * sizeof copy[0]);
    struct gpiod_line_bulk lines;
    gpiod_line_bulk_init(&lines);
    if (gpiod_chip_get_lines(inputs->chip, copy, (unsigned)count, &lines) < 0)
        return fail_inputs(inputs, step, CGPIO_STEP_LINE);
    int flags = bias_flag(bias) | (active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0);
    if (gpiod_line_request_bulk_both_edges_events_flags(&lines, consumer, flags) < 0)
        return fail_inputs(inputs, step, CGPIO_STEP_LINE);
    inputs->lines = lines;
    if (watch_lines(inputs) < 0) return fail_inputs(inputs, step, CGPIO_STEP_LINE);
    return inputs;
}

int cgpio_inputs_descriptor(const cgpio_inputs *inputs) { return inputs->epoll; }

int cgpio_inputs_read(cgpio_inputs *inputs, struct cgpio_edge *edges, size_t capacity) {
    size_t count = 0;
    while (count < capacity) {
        struct epoll_event ready;
        int waiting = epoll_wait(inputs->epoll, &ready, 1, 0);
        if (waiting < 0 && errno == EINTR) continue;
        if (waiting < 0) return -1;
        if (waiting == 0) break;
        struct gpiod_line *line = gpiod_line_bulk_get_line(&inputs->lines, ready.data.u32);
        struct gpiod_line_event event;
        if (gpiod_line_event_read(line, &event) < 0) return -1;
        edges[count].offset = gpiod_line_offset(line);
        edges[count].active = event.event_type == GPIOD_LINE_EVENT_RISING_EDGE;
        edges[count].nanoseconds = (int64_t)event.ts.tv_sec * 1000000000 + event.ts.tv_nsec;
        edges[count].sequence = 0;
        count++;
    }
    return (int)count;
}

int cgpio_inputs_value(cgpio_inputs *inputs, unsigned offset) {
    for (unsigned i = 0; i < gpiod_line_bulk_num_lines(&inputs->lines); i++) {
        struct gpiod_line *line = gpiod_line_bulk_get_line(&inputs->lines, i);
        if (gpiod_line_offset(line) == offset) return gpiod_line_get_value(line);
    }
    errno = EINVAL;
    return -1;
}

void cgpio_inputs_release(cgpio_inputs *inputs) {
    if (inputs->epoll >= 0) close(inputs->epoll);
    if (gpiod_line_bulk_num_lines(&inputs->lines) > 0) gpiod_line_release_bulk(&inputs->lines);
    if (inputs->chip) gpiod_chip_close(inputs->chip);
    free(inputs);
}

cgpio_output *cgpio_output_request(const char *chip, unsigned offset, bool active_low, bool value,
                                   const char *consumer, enum cgpio_step *step) {
    *step = CGPIO_STEP_NONE;
    cgpio_output *output = calloc(1, sizeof *output);
    if (!output) {
        *step = CGPIO_STEP_MEMORY;
        return NULL;
    }
    output->chip = gpiod_chip_open(chip);
    if (!output->chip) *step = CGPIO_STEP_CHIP;
    if (*step == CGPIO_STEP_NONE) output->line = gpiod_chip_get_line(output->chip, offset);
    int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    if (*step == CGPIO_STEP_NONE &&
        (!output->line || gpiod_line_request_output_flags(output->line, consumer, flags, value) < 0)) {
        *step = CGPIO_STEP_LINE;
        output->line = NULL;
    }
    if (*step == CGPIO_STEP_NONE) {
        remember(output);
        return output;
    }
    int saved = errno;
    cgpio_output_release(output);
    errno = saved;
    return NULL;
}

int cgpio_output_set(cgpio_output *output, bool value) { return gpiod_line_set_value(output->line, value); }

void cgpio_output_release(cgpio_output *output) {
    if (output->line) {
        forget(output);
        cgpio_output_set(output, false);
        gpiod_line_release(output->line);
    }
    if (output->chip) gpiod_chip_close(output->chip);
    free(output);
}

int cgpio_chip_label(const char *path, char *label, size_t size) {
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) return -1;
    copy_name(label, size, gpiod_chip_label(chip));
    gpiod_chip_close(chip);
    return 0;
}

int cgpio_line_offset(const char *path, const char *name) {
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) return -1;
    struct gpiod_line *line = gpiod_chip_find_line(chip, name);
    int offset = line ? (int)gpiod_line_offset(line) : -1;
    gpiod_chip_close(chip);
    return offset;
}

int cgpio_line_consumer(const char *path, unsigned offset, char *consumer, size_t size) {
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) return -1;
    struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
    bool used = line && gpiod_line_is_used(line);
    const char *name = used ? gpiod_line_consumer(line) : NULL;
    if (used) copy_name(consumer, size, name && *name ? name : "unknown");
    gpiod_chip_close(chip);
    return used ? 0 : -1;
}

#else  // libgpiod 2.x

int cgpio_library_major(void) { return 2; }

enum { EVENT_CAPACITY = 64 };

struct cgpio_inputs {
    struct gpiod_line_request *request;
    struct gpiod_edge_event_buffer *events;
};

struct cgpio_output {
    struct gpiod_line_request *request;
    unsigned offset;
    cgpio_output *next;
};

static enum gpiod_line_bias bias_value(enum cgpio_bias bias) {
    switch (bias) {
    case CGPIO_BIAS_DISABLED: return GPIOD_LINE_BIAS_DISABLED;
    case CGPIO_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
    case CGPIO_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
    default: return GPIOD_LINE_BIAS_AS_IS;
    }
}

// Opens the chip, requests the lines with `settings` and closes the chip again: a 2.x
// request outlives it.
static struct gpiod_line_request *request_lines(const char *path, const unsigned *offsets, size_t count,
                                                struct gpiod_line_settings *settings, const char *consumer,
                                                enum cgpio_step *step) {
    struct gpiod_line_request *request = NULL;
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) {
        *step = CGPIO_STEP_CHIP;
        return NULL;
    }
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_request_config *who = gpiod_request_config_new();
    *step = CGPIO_STEP_MEMORY;
    if (lines && who) {
        *step = CGPIO_STEP_LINE;
        gpiod_request_config_set_consumer(who, consumer);
        // By default the kernel keeps 16 edges of a line, and drops the oldest, which of a bouncing contact is the one
        // that counts (linereq_put_event of its drivers/gpio/gpiolib-cdev.c).
        gpiod_request_config_set_event_buffer_size(who, count * EVENT_CAPACITY);
        if (gpiod_line_config_add_line_settings(lines, offsets, count, settings) == 0)
            request = gpiod_chip_request_lines(chip, who, lines);
    }
    int saved = errno;
    if (request) *step = CGPIO_STEP_NONE;
    if (who) gpiod_request_config_free(who);
    if (lines) gpiod_line_config_free(lines);
    gpiod_chip_close(chip);
    errno = saved;
    return request;
}

static struct gpiod_line_settings *input_settings(enum cgpio_bias bias, bool active_low) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (!settings) return NULL;
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
    gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    gpiod_line_settings_set_bias(settings, bias_value(bias));
    gpiod_line_settings_set_active_low(settings, active_low);
    gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
    return settings;
}

cgpio_inputs *cgpio_inputs_request(const char *chip, const unsigned *offsets, size_t count, enum cgpio_bias bias,
                                   bool active_low, const char *consumer, enum cgpio_step *step) {
    *step = CGPIO_STEP_MEMORY;
    cgpio_inputs *inputs = calloc(1, sizeof *inputs);
    if (!inputs) return NULL;
    struct gpiod_line_settings *settings = input_settings(bias, active_low);
    inputs->events = gpiod_edge_event_buffer_new(EVENT_CAPACITY);
    if (settings && inputs->events) inputs->request = request_lines(chip, offsets, count, settings, consumer, step);
    int saved = errno;
    if (settings) gpiod_line_settings_free(settings);
    if (inputs->request) return inputs;
    cgpio_inputs_release(inputs);
    errno = saved;
    return NULL;
}

int cgpio_inputs_descriptor(const cgpio_inputs *inputs) { return gpiod_line_request_get_fd(inputs->request); }

int cgpio_inputs_read(cgpio_inputs *inputs, struct cgpio_edge *edges, size_t capacity) {
    int waiting = gpiod_line_request_wait_edge_events(inputs->request, 0);
    if (waiting <= 0) return waiting;
    size_t most = capacity < EVENT_CAPACITY ? capacity : EVENT_CAPACITY;
    int count = gpiod_line_request_read_edge_events(inputs->request, inputs->events, most);
    for (int i = 0; i < count; i++) {
        struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(inputs->events, (unsigned long)i);
        edges[i].offset = gpiod_edge_event_get_line_offset(event);
        edges[i].active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
        edges[i].nanoseconds = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
        edges[i].sequence = (uint32_t)gpiod_edge_event_get_line_seqno(event);
    }
    return count;
}

int cgpio_inputs_value(cgpio_inputs *inputs, unsigned offset) {
    return (int)gpiod_line_request_get_value(inputs->request, offset);
}

void cgpio_inputs_release(cgpio_inputs *inputs) {
    if (inputs->events) gpiod_edge_event_buffer_free(inputs->events);
    if (inputs->request) gpiod_line_request_release(inputs->request);
    free(inputs);
}

cgpio_output *cgpio_output_request(const char *chip, unsigned offset, bool active_low, bool value,
                                   const char *consumer, enum cgpio_step *step) {
    *step = CGPIO_STEP_MEMORY;
    cgpio_output *output = calloc(1, sizeof *output);
    if (!output) return NULL;
    output->offset = offset;
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (settings) {
        gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
        gpiod_line_settings_set_active_low(settings, active_low);
        gpiod_line_settings_set_output_value(settings, value ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
        output->request = request_lines(chip, &offset, 1, settings, consumer, step);
    }
    int saved = errno;
    if (settings) gpiod_line_settings_free(settings);
    if (output->request) {
        remember(output);
        return output;
    }
    free(output);
    errno = saved;
    return NULL;
}

int cgpio_output_set(cgpio_output *output, bool value) {
    return gpiod_line_request_set_value(output->request, output->offset,
                                        value ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
}

void cgpio_output_release(cgpio_output *output) {
    forget(output);
    cgpio_output_set(output, false);
    gpiod_line_request_release(output->request);
    free(output);
}

int cgpio_chip_label(const char *path, char *label, size_t size) {
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) return -1;
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (info) {
        copy_name(label, size, gpiod_chip_info_get_label(info));
        gpiod_chip_info_free(info);
    }
    gpiod_chip_close(chip);
    return info ? 0 : -1;
}

int cgpio_line_offset(const char *path, const char *name) {
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) return -1;
    int offset = gpiod_chip_get_line_offset_from_name(chip, name);
    gpiod_chip_close(chip);
    return offset;
}

int cgpio_line_consumer(const char *path, unsigned offset, char *consumer, size_t size) {
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) return -1;
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
    bool used = info && gpiod_line_info_is_used(info);
    const char *name = used ? gpiod_line_info_get_consumer(info) : NULL;
    if (used) copy_name(consumer, size, name && *name ? name : "unknown");
    if (info) gpiod_line_info_free(info);
    gpiod_chip_close(chip);
    return used ? 0 : -1;
}

#endif

static void end_outputs(void) {
    pthread_mutex_lock(&outputs_mutex);
    for (cgpio_output *output = outputs; output; output = output->next) cgpio_output_set(output, false);
    pthread_mutex_unlock(&outputs_mutex);
}

static void remember(cgpio_output *output) {
    pthread_mutex_lock(&outputs_mutex);
    if (!watches_exit) watches_exit = atexit(end_outputs) == 0;
    output->next = outputs;
    outputs = output;
    pthread_mutex_unlock(&outputs_mutex);
}

static void forget(cgpio_output *output) {
    pthread_mutex_lock(&outputs_mutex);
    for (cgpio_output **place = &outputs; *place; place = &(*place)->next) {
        if (*place != output) continue;
        *place = output->next;
        break;
    }
    pthread_mutex_unlock(&outputs_mutex);
}
