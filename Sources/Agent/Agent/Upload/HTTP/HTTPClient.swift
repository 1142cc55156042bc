// SPDX-License-Identifier: Apache-2.0
import Base
import CCurl
import Study

/// HTTP by libcurl: one request at a time, blocking its thread. Each `DeliveryLane` has one; `StudyConnection` and
/// `LabConnection` make one for each request. Not `Sendable`: one owner on one thread.
package final class HTTPClient {
    private let handle: UnsafeMutableRawPointer
    private let userAgent: String
    private let stop: StopFlag
    /// The socket in use: libcurl keeps one connection at most (CURLOPT_MAXCONNECTS).
    private let socket = SocketNote()
    /// For every request until it is set again: a destination sets it in `open`.
    package var credentials = ServerCredentials()
    /// Sent to the lab's receiver with the present item, besides its own fields; nil = none.
    var labHeaders: LabHeaders?
    /// Signs what goes where `labHeaders` go; nil = nothing is signed.
    var signer: RequestSigner?
    /// What the lab's receiver signed about the log with its last answer that had it
    /// (`Countersignature`).
    var countersigned: String?

    /// A client that ends requests within about a second once `stop` is raised.
    /// `certificateAuthority` is a PEM file used instead of the system's, until `credentials` is set.
    package init(userAgent: String, certificateAuthority: String? = nil, stop: StopFlag = .init())
        throws(TransportError)
    {
        guard studyd_curl_start() == CURLE_OK, let handle = curl_easy_init() else {
            throw TransportError(kind: .other, url: "libcurl", message: "cannot be started")
        }
        self.handle = handle
        credentials.authority = certificateAuthority
        self.userAgent = userAgent
        self.stop = stop
    }

    deinit { curl_easy_cleanup(handle) }

    /// Sends a request and waits for the whole answer, within the request's limits.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        var request = request
        for _ in 0...5 {
            let response = try once(request)
            guard !libcurlFollows(request), Self.redirecting.contains(response.status),
                let target = studyd_curl_redirect(handle).map({ String(cString: $0) })
            else { return response }
            let isDowngrade = request.url.lowercased().hasPrefix("https:") && !target.lowercased().hasPrefix("https:")
            let staysThere = WebOrigin(target) == WebOrigin(request.url) || WebOrigin.isUpgrade(request.url, target)
            // The host alone: http may become https.
            guard WebOrigin(target)?.host == WebOrigin(request.url)?.host, !isDowngrade else {
                throw TransportError(
                    kind: .portal, url: request.url,
                    message: "redirects to \(target), another host or without TLS (a login page?)")
            }
            guard staysThere || !isPrivate(request) else {
                throw TransportError(
                    kind: .portal, url: request.url,
                    message: "redirects to \(target), another port, which may be somebody else's")
            }
            request.url = target
        }
        throw TransportError(kind: .tooManyRedirects, url: request.url, message: "more than 5 redirects")
    }

    /// Whether the request carries a token, or fields for the lab's receiver alone: other ports must not get them.
    private func isPrivate(_ request: HTTPRequest) -> Bool {
        credentials.token != nil || labHeaders.map { !$0.fields(for: request.url).isEmpty } ?? false
    }

    /// Whether libcurl itself follows redirects. It goes to any host, with the fields meant for the first, so
    /// never with anything private.
    private func libcurlFollows(_ request: HTTPRequest) -> Bool { request.redirects == .follow && !isPrivate(request) }

    /// RFC 9110 §15.4; of the others 300 and 304 name no target, and 305 and 306 are obsolete.
    private static let redirecting: Set<Int> = [301, 302, 303, 307, 308]

    /// Sends it, and once more where the receiver wants its own nonce signed (RFC 9421 §5.1).
    private func once(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let response = try once(request, nonce: nil)
        noteCountersignature(response, request)
        guard response.status == 401, signer != nil, labHeaders?.applies(to: request.url) == true,
            let wanted = response["Accept-Signature"].flatMap(SignatureInput.init(field:))?.nonce
        else { return response }
        let second = try once(request, nonce: wanted)
        noteCountersignature(second, request)
        return second
    }

    private func noteCountersignature(_ response: HTTPResponse, _ request: HTTPRequest) {
        guard signer != nil, labHeaders?.applies(to: request.url) == true, let text = response[Countersignature.field],
            Countersignature(text) != nil
        else { return }
        countersigned = text
    }

    private func once(_ request: HTTPRequest, nonce: String?) throws(TransportError) -> HTTPResponse {
        try check(request)
        let transfer = Transfer(request, stop: stop, socket: socket)
        if let error = transfer.fileError(at: request.url) { throw error }
        let list = try headerList(request, nonce: nonce)
        defer { curl_slist_free_all(list) }
        curl_easy_reset(handle)
        configure(request, length: transfer.length ?? 0)
        setMethod(request, length: transfer.length)
        studyd_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
        let (code, words) = perform(transfer)
        guard code == CURLE_OK else { throw failure(code, words, transfer, request.url) }
        return HTTPResponse(
            status: Int(studyd_curl_status(handle)), headers: transfer.headers, body: transfer.body,
            retryAfter: Int64(studyd_curl_retry_after(handle)))
    }

    private func perform(_ transfer: Transfer) -> (code: CURLcode, words: String) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        for option in [CURLOPT_READDATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_SEEKDATA, CURLOPT_XFERINFODATA]
        {
            studyd_curl_set_pointer(handle, option, context)
        }
        studyd_curl_set_bytes(handle, CURLOPT_READFUNCTION, readBody)
        studyd_curl_set_bytes(handle, CURLOPT_WRITEFUNCTION, writeBody)
        studyd_curl_set_bytes(handle, CURLOPT_HEADERFUNCTION, writeHeader)
        studyd_curl_set_seek(handle, seekBody)
        studyd_curl_set_progress(handle, progress)
        studyd_curl_set_long(handle, CURLOPT_NOPROGRESS, 0)
        var words = [UInt8](repeating: 0, count: Int(CURL_ERROR_SIZE))
        let code = withExtendedLifetime(transfer) { studyd_curl_perform(handle, &words) }
        return (code, String(decoding: words.prefix { $0 != 0 }, as: UTF8.self))
    }

    private func configure(_ request: HTTPRequest, length: Int64) {
        let limits = request.limits
        studyd_curl_set_text(handle, CURLOPT_URL, HTTPAddress.encoded(request.url))
        studyd_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        studyd_curl_set_text(
            handle, CURLOPT_REDIR_PROTOCOLS_STR,
            request.url.lowercased().hasPrefix("https:") ? "https" : "http,https")
        studyd_curl_set_text(handle, CURLOPT_USERAGENT, userAgent)
        studyd_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        studyd_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, libcurlFollows(request) ? 1 : 0)
        studyd_curl_set_long(handle, CURLOPT_MAXREDIRS, 5)
        studyd_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(limits.connect / .milliseconds(1)))
        studyd_curl_set_long(handle, CURLOPT_TIMEOUT_MS, Int(limits.total(for: length) / .milliseconds(1)))
        studyd_curl_set_long(handle, CURLOPT_MAXCONNECTS, 1)
        studyd_curl_set_socket(handle, socketMade, Unmanaged.passUnretained(socket).toOpaque())
        let files = [
            (CURLOPT_CAINFO, credentials.authority), (CURLOPT_SSLCERT, credentials.certificate),
            (CURLOPT_SSLKEY, credentials.key),
        ]
        for case (let option, let file?) in files { studyd_curl_set_text(handle, option, file) }
    }

    /// A POST is set as such and not as a custom method, which libcurl would repeat after a 303.
    private func setMethod(_ request: HTTPRequest, length: Int64?) {
        switch (request.method, length) {
        case ("GET", nil): studyd_curl_set_long(handle, CURLOPT_HTTPGET, 1)
        case ("HEAD", _): studyd_curl_set_long(handle, CURLOPT_NOBODY, 1)
        case ("POST", _):
            studyd_curl_set_long(handle, CURLOPT_POST, 1)
            studyd_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(length ?? 0))
        case (let method, let length):
            if let length {
                studyd_curl_set_long(handle, CURLOPT_UPLOAD, 1)
                studyd_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(length))
            }
            studyd_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, method)
        }
    }

    private func headerList(
        _ request: HTTPRequest, nonce: String?
    ) throws(TransportError) -> UnsafeMutablePointer<curl_slist>? {
        let authorization = credentials.token.map { [WireRequest.Header(name: "Authorization", value: "Bearer \($0)")] }
        let headers = request.headers + (authorization ?? []) + (labHeaders?.fields(for: request.url) ?? [])
        var lines = (headers + (try signature(request, headers, nonce))).map {
            $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
        }
        lines.append("Expect:")  // a server that ignores it would cost a second per request
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        return lines.reduce(nil) { curl_slist_append($0, $1) ?? $0 }
    }

    private func signature(
        _ request: HTTPRequest, _ headers: [WireRequest.Header], _ nonce: String?
    ) throws(TransportError) -> [WireRequest.Header] {
        guard let signer, labHeaders?.applies(to: request.url) == true else { return [] }
        do { return try signer.fields(of: request, headers: headers, nonce: nonce) } catch let error as TransportError {
            throw error
        } catch { throw TransportError(kind: .other, url: request.url, message: "\(error)") }
    }

    private func check(_ request: HTTPRequest) throws(TransportError) {
        let texts = [request.method, request.url] + request.headers.flatMap { [$0.name, $0.value] }
        guard texts.allSatisfy({ !$0.utf8.contains { byte in byte < 32 && byte != 9 } }) else {
            throw TransportError(
                kind: .badRequest, url: request.url, message: "a line break or control character in it")
        }
    }

    private func failure(_ code: CURLcode, _ words: String, _ transfer: Transfer, _ url: String) -> TransportError {
        func error(_ kind: TransportError.Kind, _ message: String) -> TransportError {
            TransportError(kind: kind, url: url, message: message, mayHaveArrived: transfer.isGivenAway)
        }
        if let error = transfer.fileError(at: url) { return error }
        if transfer.isTooLarge {
            let received = transfer.received
            return error(
                .tooLarge, received > 0 ? "answer larger than \(received) bytes" : "header of the answer too large")
        }
        if transfer.isStalled { return error(.timeout, "the transfer stalled") }
        // Of an address that libcurl took, only a redirect can have another protocol.
        if code == CURLE_UNSUPPORTED_PROTOCOL, url.lowercased().hasPrefix("https:") {
            return TransportError(kind: .portal, url: url, message: "redirects to an address without TLS")
        }
        return error(.init(code), words)
    }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

private let readBody: studyd_curl_bytes = { bytes, size, count, context in
    guard let transfer = transfer(context) else { return Int(CURL_READFUNC_ABORT) }
    return transfer.fill(UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? Int(CURL_READFUNC_ABORT)
}

private let writeBody: studyd_curl_bytes = { bytes, size, count, context in
    let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.receive(bytes) == true ? bytes.count : 0
}

private let writeHeader: studyd_curl_bytes = { bytes, size, count, context in
    let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.receiveHeader(bytes) == true ? bytes.count : 0
}

private let seekBody: studyd_curl_seek = { context, offset, origin in
    guard let transfer = transfer(context), origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
    transfer.seek(to: Int64(offset))
    return CURL_SEEKFUNC_OK
}

private let progress: studyd_curl_progress = { context, _, received, _, sent in
    transfer(context)?.shouldStop(received: Int64(received), given: Int64(sent)) == true ? 1 : 0
}

private let socketMade: studyd_curl_socket = { context, socket, _ in
    context.map { Unmanaged<SocketNote>.fromOpaque($0).takeUnretainedValue().descriptor = socket }
    // Else the kernel takes more than goes out, and a stall is seen late.
    studyd_socket_hold_little(socket, 16_384)
    return CURL_SOCKOPT_OK
}

/// The socket that libcurl made last. Belongs to the client's thread; libcurl closes it.
final class SocketNote {
    var descriptor: CInt = -1

    /// Bytes that the kernel still holds for the other side.
    var unsent: Int64 { Int64(studyd_socket_unsent(descriptor)) }
}
