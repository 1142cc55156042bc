// SPDX-License-Identifier: Apache-2.0
#ifndef STUDYD_CI2C_H
#define STUDYD_CI2C_H
#include <linux/i2c.h>
#include <i2c/smbus.h>
#endif
