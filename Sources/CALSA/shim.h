// SPDX-License-Identifier: Apache-2.0
#ifndef STUDYD_CALSA_H
#define STUDYD_CALSA_H
#include <alsa/asoundlib.h>

static inline void calsa_say_nothing(const char *file, int line, const char *function, int error, const char *format,
                                     ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

// libasound writes its troubles to stderr, where they would fall into the drawing of a panel;
// callers get them as error numbers anyway. The handler is variadic, so that Swift cannot write it.
static inline void calsa_be_quiet(void) { snd_lib_error_set_handler(calsa_say_nothing); }
#endif
