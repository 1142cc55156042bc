// SPDX-License-Identifier: Apache-2.0
//
// libcurl's easy interface as Swift can call it: curl_easy_setopt and curl_easy_getinfo are
// variadic macros.
#ifndef STUDYD_CCURL_SHIM_H
#define STUDYD_CCURL_SHIM_H

#include <curl/curl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/// Sets an option that takes a `long`. Returns a `CURLcode`.
static inline CURLcode studyd_curl_set_long(CURL *_Nonnull handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/// Sets an option that takes a size that may pass 2 GiB. Returns a `CURLcode`.
static inline CURLcode studyd_curl_set_size(CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/// Sets an option that takes a text; libcurl copies it (except CURLOPT_POSTFIELDS, which
/// is not used here).
static inline CURLcode studyd_curl_set_text(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

/// Sets an option that takes a pointer, which must outlive the transfer.
static inline CURLcode studyd_curl_set_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

/// The shape of the callbacks for what is read, written and received as a header.
typedef size_t (*studyd_curl_bytes)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
/// The shape of the progress callback; anything but 0 ends the transfer.
typedef int (*studyd_curl_progress)(void *_Nullable context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
/// The shape of the seek callback, used when libcurl has to send a body again.
typedef int (*studyd_curl_seek)(void *_Nullable context, curl_off_t offset, int origin);

/// Sets a callback for bytes. Returns a `CURLcode`.
static inline CURLcode studyd_curl_set_bytes(CURL *_Nonnull handle, CURLoption option,
                                             studyd_curl_bytes _Nullable callback) {
    return curl_easy_setopt(handle, option, callback);
}

/// Sets the progress callback. Returns a `CURLcode`.
static inline CURLcode studyd_curl_set_progress(CURL *_Nonnull handle, studyd_curl_progress _Nullable callback) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback);
}

/// Sets the seek callback. Returns a `CURLcode`.
static inline CURLcode studyd_curl_set_seek(CURL *_Nonnull handle, studyd_curl_seek _Nullable callback) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}

/// The shape of the callback for a socket that was made.
typedef int (*studyd_curl_socket)(void *_Nullable context, curl_socket_t socket, curlsocktype purpose);

/// Sets the callback for new sockets and what it is given. Returns a `CURLcode`.
static inline CURLcode studyd_curl_set_socket(CURL *_Nonnull handle, studyd_curl_socket _Nullable callback,
                                              void *_Nullable context) {
    curl_easy_setopt(handle, CURLOPT_SOCKOPTDATA, context);
    return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, callback);
}

/// Has the kernel take no more than so many bytes beyond what it can send at once (tcp(7),
/// TCP_NOTSENT_LOWAT); no harm where it cannot.
static inline void studyd_socket_hold_little(int socket, int bytes) {
    setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

/// Bytes that the kernel has taken and the other side has not confirmed (tcp(7), SIOCOUTQ); 0 where
/// it does not say.
static inline int studyd_socket_unsent(int socket) {
    int bytes = 0;
    return socket >= 0 && ioctl(socket, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? bytes : 0;
}

/// The HTTP status of the last answer, 0 when there was none.
static inline long studyd_curl_status(CURL *_Nonnull handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/// Where the last answer wanted to redirect to, as a whole address; NULL when nowhere. Valid until
/// the next transfer.
static inline const char *_Nullable studyd_curl_redirect(CURL *_Nonnull handle) {
    char *url = NULL;
    curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, &url);
    return url;
}

/// The seconds until the server wants to be asked again, by its `Retry-After` and, for a
/// date, the system's clock: 0 where it says nothing that can be read, or now; negative for a
/// date that is past.
static inline curl_off_t studyd_curl_retry_after(CURL *_Nonnull handle) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
    return seconds;
}

/// Whether a code is about TLS.
static inline int studyd_curl_is_tls(CURLcode code) {
    switch (code) {
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR: return 1;
        default: return 0;
    }
}

/// Performs the request, and puts why it failed into `words`, which has CURL_ERROR_SIZE bytes: a
/// text that ends with 0, without control characters.
///
/// Of TLS it is what libcurl says of this transfer, such as what is wrong with a certificate.
/// Otherwise it is the code's text alone: the transfer's has times, so no two faults would be equal.
static inline CURLcode studyd_curl_perform(CURL *_Nonnull handle, unsigned char *_Nonnull words) {
    char own[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, own);
    CURLcode code = curl_easy_perform(handle);
    // libcurl may write to it until the handle is cleaned up.
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, NULL);
    const char *text = own[0] && studyd_curl_is_tls(code) ? own : curl_easy_strerror(code);
    size_t length = 0;
    while (length < CURL_ERROR_SIZE - 1 && text[length]) {
        unsigned char byte = (unsigned char)text[length];
        // U+0080 to U+009F are 0xC2 and the number in UTF-8; alone those bytes are no text.
        int isControl = byte < 32 || byte == 127
            || (byte >= 0x80 && byte < 0xA0 && length > 0 && words[length - 1] == 0xC2);
        if (isControl && byte >= 0x80) words[length - 1] = ' ';
        words[length++] = isControl ? ' ' : byte;
    }
    words[length] = 0;
    return code;
}

/// Starts libcurl once for the process, before any thread uses it.
static inline CURLcode studyd_curl_start(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

#endif
