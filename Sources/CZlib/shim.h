// SPDX-License-Identifier: Apache-2.0
#ifndef STUDYD_CZLIB_SHIM_H
#define STUDYD_CZLIB_SHIM_H

#include <zlib.h>

/// `deflateInit2`, which is a macro, for a gzip member. Returns Z_OK or zlib's error.
static inline int studyd_gzip_begin(z_stream *_Nonnull stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

/// `deflateInit2`, which is a macro, for the bare stream that zip wants. Returns Z_OK
/// or zlib's error.
static inline int studyd_deflate_begin(z_stream *_Nonnull stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

/// `inflateInit2`, which is a macro, for the bare stream of a zip. Returns Z_OK or zlib's error.
static inline int studyd_inflate_begin(z_stream *_Nonnull stream) {
    return inflateInit2(stream, -15);
}

/// `inflateInit2`, which is a macro, for gzip members. Returns Z_OK or zlib's error.
static inline int studyd_gunzip_begin(z_stream *_Nonnull stream) {
    return inflateInit2(stream, 15 + 16);
}

#endif
