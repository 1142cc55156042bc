// SPDX-License-Identifier: Apache-2.0
// The GPIO shim above whichever libgpiod this is compiled against, below it the chips of
// mock_gpio.c (loaded first). Prints one line per statement; exits with the number of statements
// that are not so.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CGPIO.h"

static void (*drive)(unsigned, int, int64_t), (*lose)(unsigned, int, unsigned), (*reset)(void);
static const char *(*note_at)(unsigned);
static int (*level)(unsigned);
static int failures;

static void state(int is_so, const char *sentence) {
    printf("%s %s\n", is_so ? "ok    " : "not ok", sentence);
    if (!is_so) failures++;
}

// The notes since the last reset, joined.
static const char *notes(void) {
    static char text[8192];
    text[0] = 0;
    for (unsigned i = 0; note_at(i); i++) {
        if (i) strcat(text, "; ");
        strcat(text, note_at(i));
    }
    return text;
}

static int readable(cgpio_inputs *inputs) {
    struct pollfd request = {.fd = cgpio_inputs_descriptor(inputs), .events = POLLIN};
    return poll(&request, 1, 0) == 1;
}

static void inputs_are_requested_read_and_released(void) {
    enum cgpio_step step;
    unsigned lines[] = {4, 17};
    reset();
    lose(4, 1, 0), lose(17, 1, 0);
    cgpio_inputs *inputs = cgpio_inputs_request("/dev/gpiochip0", lines, 2, CGPIO_BIAS_PULL_UP, true, "tester", &step);
    state(inputs && step == CGPIO_STEP_NONE, "two lines are had at once");
    if (!inputs) return;
    const char *done = notes();
    state(strstr(done, "input 4 pull-up active-low both edges, debounce 0 us, by tester") != NULL &&
              strstr(done, "input 17 pull-up active-low both edges, debounce 0 us, by tester") != NULL,
          "bias, active-low, both edges and the consumer reach the kernel");
    state(cgpio_inputs_value(inputs, 17) == 0 && cgpio_inputs_value(inputs, 4) == 0, "a pulled-up line that is low active is inactive");
    state(!readable(inputs), "nothing waits before an edge");
    drive(17, 0, 1234567890123), drive(17, 1, 1234567890456);
    state(readable(inputs), "an edge wakes");
    state(cgpio_inputs_value(inputs, 17) == 0, "the value is the present one");
    struct cgpio_edge edges[8];
    int count = cgpio_inputs_read(inputs, edges, 8);
    state(count == 2, "both edges are read");
    state(edges[0].offset == 17 && edges[0].active && !edges[1].active, "edges are logical: falling is active");
    state(edges[0].nanoseconds == 1234567890123 && edges[1].nanoseconds == 1234567890456, "the kernel's times arrive untouched");
    state(cgpio_inputs_read(inputs, edges, 8) == 0, "reading never blocks");
    for (int i = 0; i < 5; i++) drive(4, i % 2, 1000 + i);
    state(cgpio_inputs_read(inputs, edges, 3) == 3 && readable(inputs) && cgpio_inputs_read(inputs, edges, 8) == 2,
          "what does not fit waits for the next read");
    lose(4, 0, 3);
    drive(4, 1, 2000);
    count = cgpio_inputs_read(inputs, edges, 8);
    state(count == 1 && edges[0].sequence == (cgpio_library_major() == 1 ? 0u : 9u), "2.x numbers a line's edges, lost ones too");
    errno = 0;
    state(cgpio_inputs_value(inputs, 3) < 0, "a line that was not requested has no value");
    reset();
    cgpio_inputs_release(inputs);
    state(strcmp(notes(), "release 4; release 17") == 0 || strcmp(notes(), "release 17; release 4") == 0, "both lines are given back");
}

static void every_bias_is_asked_for(void) {
    const struct { enum cgpio_bias bias; const char *note; } cases[] = {
        {CGPIO_BIAS_AS_IS, "input 9 both edges, debounce 0 us, by t"},
        {CGPIO_BIAS_DISABLED, "input 9 no-bias both edges, debounce 0 us, by t"},
        {CGPIO_BIAS_PULL_UP, "input 9 pull-up both edges, debounce 0 us, by t"},
        {CGPIO_BIAS_PULL_DOWN, "input 9 pull-down both edges, debounce 0 us, by t"}};
    int right = 1;
    for (unsigned i = 0; i < 4; i++) {
        enum cgpio_step step;
        unsigned line = 9;
        reset();
        cgpio_inputs *inputs = cgpio_inputs_request("/dev/gpiochip0", &line, 1, cases[i].bias, false, "t", &step);
        right = right && inputs && strcmp(notes(), cases[i].note) == 0;
        if (inputs) cgpio_inputs_release(inputs);
    }
    state(right, "every bias reaches the kernel");
}

static void outputs_end_inactive(void) {
    enum cgpio_step step;
    reset();
    cgpio_output *output = cgpio_output_request("/dev/gpiochip0", 27, true, false, "tester", &step);
    state(output && level(27) == 1, "an active-low output begins inactive: high");
    if (!output) return;
    state(cgpio_output_set(output, true) == 0 && level(27) == 0, "active is low");
    cgpio_output_release(output);
    state(strcmp(notes(), "output 27 active-low = 0, by tester; set 27 1; set 27 0; release 27") == 0 && level(27) == 1,
          "it is set inactive before it is released");
}

static void an_output_ends_inactive_when_the_process_exits(void) {
    char log[] = "/tmp/gpio-shim-XXXXXX";
    int file = mkstemp(log);
    enum cgpio_step step;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("MOCK_GPIO_LOG", log, 1);
        cgpio_output *first = cgpio_output_request("/dev/gpiochip0", 22, false, false, "child", &step);
        cgpio_output *second = cgpio_output_request("/dev/gpiochip0", 27, false, false, "child", &step);
        cgpio_output *third = cgpio_output_request("/dev/gpiochip0", 28, false, false, "child", &step);
        cgpio_output_set(first, true), cgpio_output_set(second, true);
        cgpio_output_release(third);
        exit(0);
    }
    waitpid(child, NULL, 0);
    char text[1024] = "";
    if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
    close(file);
    unlink(log);
    const char *end = strstr(text, "release 28\n");
    state(end && strstr(end, "set 22 0\n") && strstr(end, "set 27 0\n") && !strstr(end, "set 28"),
          "outputs that were not released are set inactive when the process exits");
}

static void failures_name_their_step(void) {
    enum cgpio_step step;
    unsigned line = 5;
    char consumer[CGPIO_NAME_SIZE] = "";
    cgpio_inputs *inputs = cgpio_inputs_request("/dev/gpiochip0", &line, 1, CGPIO_BIAS_AS_IS, false, "tester", &step);
    int code = errno;
    state(!inputs && code == EBUSY && step == CGPIO_STEP_LINE, "a line in use is EBUSY at the step of the line");
    cgpio_output *output = cgpio_output_request("/dev/gpiochip0", 5, false, false, "tester", &step);
    code = errno;
    state(!output && code == EBUSY && step == CGPIO_STEP_LINE, "an output in use too");
    state(cgpio_line_consumer("/dev/gpiochip0", 5, consumer, sizeof consumer) == 0 && !strcmp(consumer, "leds-gpio"), "its user is named");
    state(cgpio_line_consumer("/dev/gpiochip0", 6, consumer, sizeof consumer) < 0, "an unused line has no user");
    inputs = cgpio_inputs_request("/dev/gpiochip7", &line, 1, CGPIO_BIAS_AS_IS, false, "tester", &step);
    state(!inputs && step == CGPIO_STEP_CHIP, "a missing chip is the step of the chip");
    line = 99;
    inputs = cgpio_inputs_request("/dev/gpiochip0", &line, 1, CGPIO_BIAS_AS_IS, false, "tester", &step);
    state(!inputs && step == CGPIO_STEP_LINE, "a line that the chip does not have is the step of the line");
}

static void chips_and_lines_are_found(void) {
    char label[CGPIO_NAME_SIZE] = "";
    state(cgpio_chip_label("/dev/gpiochip1", label, sizeof label) == 0 && !strcmp(label, "mock-expander"), "a chip has a label");
    state(cgpio_chip_label("/dev/gpiochip7", label, sizeof label) < 0, "a missing chip has none");
    state(cgpio_line_offset("/dev/gpiochip0", "BUTTON") == 17 && cgpio_line_offset("/dev/gpiochip1", "BUTTON") < 0,
          "a line is found by its name");
}

int main(void) {
    *(void **)&drive = dlsym(RTLD_DEFAULT, "mock_gpio_drive");
    *(void **)&lose = dlsym(RTLD_DEFAULT, "mock_gpio_lose");
    *(void **)&reset = dlsym(RTLD_DEFAULT, "mock_gpio_reset");
    *(void **)&note_at = dlsym(RTLD_DEFAULT, "mock_gpio_note");
    *(void **)&level = dlsym(RTLD_DEFAULT, "mock_gpio_level");
    if (!drive || !lose || !reset || !note_at || !level) return puts("mock_gpio is not loaded"), 99;
    printf("libgpiod %d.x\n", cgpio_library_major());
    inputs_are_requested_read_and_released();
    every_bias_is_asked_for();
    outputs_end_inactive();
    an_output_ends_inactive_when_the_process_exits();
    failures_name_their_step();
    chips_and_lines_are_found();
    return failures;
}
