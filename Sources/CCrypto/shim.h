// SPDX-License-Identifier: Apache-2.0
//
// Digests and enveloped data of OpenSSL 3's libcrypto.
#ifndef STUDYD_CCRYPTO_SHIM_H
#define STUDYD_CCRYPTO_SHIM_H

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/buffer.h>
#include <openssl/cms.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stddef.h>

/// Keeps libcrypto until the process is gone; called first of all. Its cleanup at exit
/// frees what threads that end at that moment free themselves (OPENSSL_init_crypto(3),
/// OPENSSL_INIT_NO_ATEXIT): the heap is then corrupt, and a command that did its work
/// ends with an abort.
static inline void studyd_crypto_outlives_exit(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

/// Puts the content through the ciphers of `cms` into memory of its final size, which libcrypto
/// would else reach by copies: whether it could.
static inline int studyd_cms_fill(CMS_ContentInfo *cms, const void *content, size_t length) {
    int done = 0;
    BIO *chain = CMS_dataInit(cms, NULL);
    BIO *end = BIO_find_type(chain, BIO_TYPE_MEM);
    BUF_MEM *room = BUF_MEM_new();
    // The last block of the cipher is filled up.
    if (end != NULL && room != NULL && BUF_MEM_grow(room, length + EVP_MAX_BLOCK_LENGTH) > 0) {
        room->length = 0;
        BIO_set_mem_buf(end, room, BIO_CLOSE);
        room = NULL;
        size_t written = 0;
        done = (length == 0 || (BIO_write_ex(chain, content, length, &written) && written == length)) && BIO_flush(chain) > 0
            && CMS_dataFinal(cms, chain) > 0;
    }
    BUF_MEM_free(room);
    BIO_free_all(chain);
    return done;
}

/// Content encrypted to a certificate as CMS EnvelopedData (RFC 5652), with AES-256-CBC and a
/// new key, to be freed by `CMS_ContentInfo_free`; NULL where the certificate cannot be read
/// or takes no key. The content is needed no more. Stacks of certificates are macros, which
/// Swift does not see.
static inline CMS_ContentInfo *studyd_cms_encrypt(const void *content, size_t length, const void *pem, size_t pem_length) {
    BIO *in = NULL;
    CMS_ContentInfo *cms = NULL;
    STACK_OF(X509) *recipients = sk_X509_new_null();
    X509 *certificate = NULL;
    if (length > INT_MAX - EVP_MAX_BLOCK_LENGTH || pem_length > INT_MAX || recipients == NULL) goto done;
    in = BIO_new_mem_buf(pem, (int)pem_length);
    if (in != NULL) certificate = PEM_read_bio_X509(in, NULL, NULL, NULL);
    if (certificate == NULL || sk_X509_push(recipients, certificate) <= 0) goto done;
    cms = CMS_encrypt(recipients, NULL, EVP_aes_256_cbc(), CMS_BINARY | CMS_STREAM);
    if (cms != NULL && !studyd_cms_fill(cms, content, length)) {
        CMS_ContentInfo_free(cms);
        cms = NULL;
    }
done:
    BIO_free(in);
    X509_free(certificate);
    sk_X509_free(recipients);
    return cms;
}

/// No one is asked for a passphrase.
static inline int studyd_no_passphrase(char *buffer, int size, int writes, void *data) { return -1; }

/// A private key in PEM, to be freed by `EVP_PKEY_free`; NULL where it is none, or has a passphrase.
static inline EVP_PKEY *studyd_private_key(const void *pem, size_t length) {
    BIO *in = length > INT_MAX ? NULL : BIO_new_mem_buf(pem, (int)length);
    EVP_PKEY *key = in == NULL ? NULL : PEM_read_bio_PrivateKey(in, NULL, studyd_no_passphrase, NULL);
    BIO_free(in);
    return key;
}

/// Whether it is a certificate in PEM; then also the bits of its key, 0 where that is not RSA, and the days and
/// seconds from 1970 to the last moment of its validity.
static inline int studyd_certificate(const void *pem, size_t length, int *rsa_bits, int *days, int *seconds) {
    BIO *in = length > INT_MAX ? NULL : BIO_new_mem_buf(pem, (int)length);
    X509 *certificate = in == NULL ? NULL : PEM_read_bio_X509(in, NULL, studyd_no_passphrase, NULL);
    EVP_PKEY *key = certificate == NULL ? NULL : X509_get0_pubkey(certificate);
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int done = key != NULL && epoch != NULL
        && ASN1_TIME_diff(days, seconds, epoch, X509_get0_notAfter(certificate)) > 0;
    if (done) *rsa_bits = EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA ? EVP_PKEY_get_bits(key) : 0;
    ASN1_TIME_free(epoch);
    X509_free(certificate);
    BIO_free(in);
    return done;
}

/// What is in a CMS EnvelopedData (DER), to be freed by `BIO_free`; NULL where it is none, was cut,
/// or is encrypted to another key.
static inline BIO *studyd_cms_open(const void *encrypted, size_t length, EVP_PKEY *key) {
    BIO *in = length > INT_MAX ? NULL : BIO_new_mem_buf(encrypted, (int)length);
    BIO *out = BIO_new(BIO_s_mem());
    CMS_ContentInfo *cms = in == NULL ? NULL : d2i_CMS_bio(in, NULL);
    // Without the last flag a wrong key gives noise in place of an error.
    int done = cms != NULL && out != NULL && CMS_decrypt(cms, key, NULL, NULL, out, CMS_BINARY | CMS_DEBUG_DECRYPT) > 0;
    CMS_ContentInfo_free(cms);
    BIO_free(in);
    if (done) return out;
    BIO_free(out);
    return NULL;
}

/// The bytes that a BIO in memory holds, and how many.
static inline long studyd_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

#endif
