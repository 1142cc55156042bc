// SPDX-License-Identifier: Apache-2.0
//
// Digests and enveloped data of OpenSSL 3's libcrypto.
#ifndef STUDYD_CCRYPTO_SHIM_H
#define STUDYD_CCRYPTO_SHIM_H

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stddef.h>

/// Keeps libcrypto until the process is gone; called first of all. Its cleanup at exit frees what threads that end at that moment free
/// themselves (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT): the heap is then corrupt, and a command that did its work ends with an abort.
static inline void studyd_crypto_outlives_exit(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

/// Content encrypted to a certificate as CMS EnvelopedData (RFC 5652) in DER, with AES-256-CBC and a new key: its length, with `*sealed` to be freed
/// by `studyd_crypto_free`; 0 where the certificate cannot be read or takes no key. Stacks of certificates are macros, which Swift does not see.
static inline size_t studyd_cms_seal(const void *content, size_t length, const void *pem, size_t pem_length, unsigned char **sealed) {
    size_t written = 0;
    BIO *in = NULL;
    CMS_ContentInfo *cms = NULL;
    STACK_OF(X509) *recipients = sk_X509_new_null();
    X509 *certificate = NULL;
    *sealed = NULL;
    if (length > INT_MAX || pem_length > INT_MAX || recipients == NULL) goto done;
    in = BIO_new_mem_buf(pem, (int)pem_length);
    if (in != NULL) certificate = PEM_read_bio_X509(in, NULL, NULL, NULL);
    BIO_free(in);
    in = BIO_new_mem_buf(content, (int)length);
    if (certificate == NULL || in == NULL || sk_X509_push(recipients, certificate) <= 0) goto done;
    cms = CMS_encrypt(recipients, in, EVP_aes_256_cbc(), CMS_BINARY);
    if (cms != NULL) {
        int count = i2d_CMS_ContentInfo(cms, sealed);
        if (count > 0) written = (size_t)count;
    }
done:
    CMS_ContentInfo_free(cms);
    BIO_free(in);
    X509_free(certificate);
    sk_X509_free(recipients);
    return written;
}

static inline void studyd_crypto_free(unsigned char *bytes) { OPENSSL_free(bytes); }

#endif
