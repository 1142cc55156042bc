// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 and random bytes of OpenSSL 3's libcrypto, in the form Swift can call: the EVP functions are
// declared with pointers to incomplete types and the names of some are macros.
#ifndef STUDYD_CCRYPTO_SHIM_H
#define STUDYD_CCRYPTO_SHIM_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

/// Keeps libcrypto until the process is gone; called first of all. Its cleanup at exit frees what threads that end at that moment free
/// themselves (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT): the heap is then corrupt, and a command that did its work ends with an abort.
static inline void studyd_crypto_outlives_exit(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

/// Bytes of a SHA-256 digest.
enum { STUDYD_SHA256_BYTES = 32 };

/// A SHA-256 in progress. One owner, one thread at a time.
typedef struct studyd_sha256_context studyd_sha256_context;

/// The SHA-256 of `length` bytes. Returns 1, or 0 when libcrypto refuses (out of memory, no provider);
/// `out` is then not to be used. `bytes` may be NULL when `length` is 0.
static inline int studyd_sha256(const void *_Nullable bytes, size_t length, uint8_t *_Nonnull out) {
    unsigned int written = 0;
    const int done = EVP_Digest(bytes ? bytes : "", length, out, &written, EVP_sha256(), NULL);
    return done == 1 && written == STUDYD_SHA256_BYTES;
}

/// Frees a digest in progress; NULL is allowed.
static inline void studyd_sha256_free(studyd_sha256_context *_Nullable context) {
    EVP_MD_CTX_free((EVP_MD_CTX *)context);
}

/// Begins a digest, NULL when libcrypto refuses. Freed by `studyd_sha256_free`.
static inline studyd_sha256_context *_Nullable studyd_sha256_new(void) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(context);
        context = NULL;
    }
    return (studyd_sha256_context *)context;
}

/// Takes in `length` more bytes. Returns 1, or 0 when libcrypto refuses.
static inline int studyd_sha256_update(
    studyd_sha256_context *_Nonnull context, const void *_Nullable bytes, size_t length) {
    return length == 0 || EVP_DigestUpdate((EVP_MD_CTX *)context, bytes, length) == 1;
}

/// Writes the 32 bytes of the digest. Returns 1, or 0 when libcrypto refuses. The context takes nothing more
/// afterwards and still has to be freed.
static inline int studyd_sha256_final(studyd_sha256_context *_Nonnull context, uint8_t *_Nonnull out) {
    unsigned int written = 0;
    return EVP_DigestFinal_ex((EVP_MD_CTX *)context, out, &written) == 1 && written == STUDYD_SHA256_BYTES;
}

/// Fills `out` with random bytes fit for keys. Returns 1, or 0 when the generator is not seeded: `out` is then
/// not to be used.
static inline int studyd_random_bytes(void *_Nonnull out, size_t length) {
    return length <= INT_MAX && RAND_bytes((unsigned char *)out, (int)length) == 1;
}

#endif
