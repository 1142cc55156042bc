// SPDX-License-Identifier: Apache-2.0
//
// MQTT 5, as a client (libmosquitto 2.0). Nothing here needs a wrapper.
#ifndef STUDYD_CMOSQUITTO_SHIM_H
#define STUDYD_CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>

// OpenSSL's, of a connection that mosquitto_ssl_get gives.
struct ssl_st;
long SSL_get_verify_result(const struct ssl_st *connection);

#endif
