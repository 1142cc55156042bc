// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions by PCRE2 10 in its form for UTF-8. Its names are macros over the width of a
// character, which Swift does not see.
#ifndef STUDYD_CPCRE2_SHIM_H
#define STUDYD_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stddef.h>
#include <stdint.h>

/// What a match came to.
enum studyd_regex_outcome { STUDYD_REGEX_MISSING = 0, STUDYD_REGEX_FOUND = 1, STUDYD_REGEX_EXHAUSTED = 2 };

/// Reads a pattern of UTF-8; NULL with PCRE2's error number and the byte it was found at. Freed by
/// `studyd_regex_free`.
///
/// Classes such as `\w` are Unicode's and lines end as in ICU, by whose rules the apps of the
/// platforms match (PCRE2_UCP, PCRE2_NEWLINE_ANY).
static inline void *studyd_regex_compile(const uint8_t *pattern, size_t length, int *error, size_t *place) {
    *error = PCRE2_ERROR_NOMEMORY;
    *place = 0;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (context == NULL) return NULL;
    pcre2_set_newline(context, PCRE2_NEWLINE_ANY);
    pcre2_set_parens_nest_limit(context, 50);
    pcre2_code *code = pcre2_compile(pattern, length, PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, error, place, context);
    pcre2_compile_context_free(context);
    return code;
}

static inline void studyd_regex_free(void *code) { pcre2_code_free((pcre2_code *)code); }

/// Looks for a pattern in UTF-8 from that byte on, for at most `steps` steps of matching
/// (pcre2_set_match_limit(3)) and in 4 MiB. `next` is the byte from which another match is looked for
/// as in ICU: the end of this one, or behind the next character where it is empty, which may be behind
/// the text. Interpreted: the compiler of PCRE2 would want memory that can be written and run, which
/// the unit forbids.
static inline enum studyd_regex_outcome studyd_regex_match(const void *code, const uint8_t *text, size_t length, size_t start, uint32_t steps, size_t *next) {
    enum studyd_regex_outcome outcome = STUDYD_REGEX_EXHAUSTED;
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    if (context != NULL && data != NULL) {
        pcre2_set_match_limit(context, steps);
        pcre2_set_depth_limit(context, 50000);
        pcre2_set_heap_limit(context, 4096);
        // 0 = found, with more groups than there was room for.
        int result = pcre2_match((const pcre2_code *)code, text, length, start, PCRE2_NO_JIT, data, context);
        outcome = result >= 0 ? STUDYD_REGEX_FOUND : result == PCRE2_ERROR_NOMATCH ? STUDYD_REGEX_MISSING : STUDYD_REGEX_EXHAUSTED;
        if (result >= 0) {
            const size_t *found = pcre2_get_ovector_pointer(data);
            *next = found[1];
            if (found[0] == found[1]) {
                do ++*next;
                while (*next < length && (text[*next] & 0xC0) == 0x80);
            }
        }
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    return outcome;
}

/// PCRE2's words for an error of `studyd_regex_compile`, ended by a zero.
static inline void studyd_regex_words(int error, uint8_t *words, size_t room) {
    if (room > 0 && pcre2_get_error_message(error, words, room) < 0 && error != 0) words[room - 1] = 0;
}

#endif
