// SPDX-License-Identifier: Apache-2.0
//
// MQTT 5, as a client (libmosquitto 2.0). Nothing here needs a wrapper.
#ifndef STUDYD_CMOSQUITTO_SHIM_H
#define STUDYD_CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>

#endif
