// SPDX-License-Identifier: Apache-2.0
#ifndef STUDYD_CALSA_H
#define STUDYD_CALSA_H
#include <alsa/asoundlib.h>
#endif
