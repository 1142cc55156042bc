// SPDX-License-Identifier: Apache-2.0
// One face for libgpiod 1.6 and 2.x: request lines, read edges, set outputs. All functions leave
// errno on failure.
#ifndef STUDYD_CGPIO_H
#define STUDYD_CGPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cgpio_inputs cgpio_inputs;
typedef struct cgpio_output cgpio_output;

enum cgpio_bias { CGPIO_BIAS_AS_IS, CGPIO_BIAS_DISABLED, CGPIO_BIAS_PULL_UP, CGPIO_BIAS_PULL_DOWN };

// An edge in logical terms: `active` already takes active-low into account.
struct cgpio_edge {
    unsigned offset;
    bool active;
    int64_t nanoseconds;  // CLOCK_MONOTONIC, from the interrupt
    uint32_t sequence;    // counts the line's edges from 1, those lost in an overflow too; 0 where 1.x does not tell
};

// Which step of a request failed.
enum cgpio_step { CGPIO_STEP_NONE, CGPIO_STEP_CHIP, CGPIO_STEP_LINE, CGPIO_STEP_MEMORY };

// The major version of libgpiod this was compiled against: 1 or 2.
int cgpio_library_major(void);

// Asks for both edges of `count` lines of `chip` (a path). NULL on failure, with the step.
cgpio_inputs *cgpio_inputs_request(const char *chip, const unsigned *offsets, size_t count, enum cgpio_bias bias,
                                   bool active_low, const char *consumer, enum cgpio_step *step);
// One descriptor that is readable when any line has an edge.
int cgpio_inputs_descriptor(const cgpio_inputs *inputs);
// Reads what waits, never blocks; the number of edges or -1.
int cgpio_inputs_read(cgpio_inputs *inputs, struct cgpio_edge *edges, size_t capacity);
// 1 active, 0 inactive, -1 on failure.
int cgpio_inputs_value(cgpio_inputs *inputs, unsigned offset);
void cgpio_inputs_release(cgpio_inputs *inputs);

// Room for a label, a line's name or a consumer (32 bytes in the kernel's interface).
enum { CGPIO_NAME_SIZE = 64 };

// The label of a chip (a path); 0, or -1 with errno.
int cgpio_chip_label(const char *chip, char *label, size_t size);
// The offset of the line with that name on a chip (a path); -1 when it has none.
int cgpio_line_offset(const char *chip, const char *name);
// Who uses a line, "unknown" where the user gave no name; -1 when the line is free, or when
// it cannot be told.
int cgpio_line_consumer(const char *chip, unsigned offset, char *consumer, size_t size);

// Takes one line as an output with its first value. NULL on failure, with the step. It is set
// inactive before it is released, and when the process ends by exit(3) or by returning from main
// without having released it.
cgpio_output *cgpio_output_request(const char *chip, unsigned offset, bool active_low, bool value,
                                   const char *consumer, enum cgpio_step *step);
int cgpio_output_set(cgpio_output *output, bool value);
void cgpio_output_release(cgpio_output *output);

#endif
