// SPDX-License-Identifier: Apache-2.0
#ifndef STUDYD_CGPIOLIBRARY_H
#define STUDYD_CGPIOLIBRARY_H
#include <gpiod.h>
#endif
