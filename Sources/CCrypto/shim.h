// SPDX-License-Identifier: Apache-2.0
//
// Digests of OpenSSL 3's libcrypto.
#ifndef STUDYD_CCRYPTO_SHIM_H
#define STUDYD_CCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>

/// Keeps libcrypto until the process is gone; called first of all. Its cleanup at exit frees what threads that end at that moment free
/// themselves (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT): the heap is then corrupt, and a command that did its work ends with an abort.
static inline void studyd_crypto_outlives_exit(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

#endif
