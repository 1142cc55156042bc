// SPDX-License-Identifier: Apache-2.0
//
// Zstandard. Nothing here needs a wrapper.
#ifndef STUDYD_CZSTD_SHIM_H
#define STUDYD_CZSTD_SHIM_H

#include <zstd.h>

#endif
