// SPDX-License-Identifier: Apache-2.0
#ifndef STUDYD_CMOSQUITTO_H
#define STUDYD_CMOSQUITTO_H
#include <mosquitto.h>
#endif
