// SPDX-License-Identifier: Apache-2.0
import Base
import CCurl
import Synchronization
import SystemKit

/// A bucket of a server that speaks S3, read with signed requests (S3 API Reference: ListObjectsV2, GetObject,
/// HeadObject), one after the other on a connection that is kept. `Mirror` fetches from it. Blocks.
struct S3Bucket: MirrorSource {
    struct Place: Sendable, Hashable {
        /// The server's address, without a path.
        var endpoint: String
        let bucket: String
        let prefix: String
        var region = "us-east-1"
        /// The bucket is part of the host's name (virtual-hosted style), not of the path.
        var isHostStyle = false
        /// Certificates that are trusted instead of the system's; nil = the system's.
        var authority: String?

        /// Nil unless it is `s3://bucket` or `s3://bucket/prefix`.
        init?(_ url: String, endpoint: String) {
            guard url.hasPrefix("s3://") else { return nil }
            let parts = url.dropFirst(5).split(separator: "/", omittingEmptySubsequences: true).map(String.init)
            guard let bucket = parts.first else { return nil }
            self.bucket = bucket
            self.endpoint = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
            prefix = parts.dropFirst().map { $0 + "/" }.joined()
        }
    }

    private let place: Place
    private let keys: AWSSignature.Keys
    private let clock: any StudyClock
    private let curl = CurlHandle()

    init(_ place: Place, keys: AWSSignature.Keys, clock: any StudyClock) {
        (self.place, self.keys, self.clock) = (place, keys, clock)
    }

    var name: String { "s3://\(place.bucket)/\(place.prefix)" }
    var address: String { "\(place.endpoint)/\(place.bucket)/\(place.prefix)" }

    let hasDigests = true
    var problemIfEmpty: String? { "nothing lies there; check the bucket and the prefix" }

    // MARK: - Listing

    func page(_ token: String?) throws -> (entries: [MirrorEntry], next: String?) {
        var query: [AWSSignature.Field] = [
            .init(name: "list-type", value: "2"), .init(name: "prefix", value: place.prefix),
            .init(name: "encoding-type", value: "url"),
        ]
        if let token { query.append(.init(name: "continuation-token", value: token)) }
        let answer = try ask("GET", "", query: query)
        let page = S3Document(answer.body)
        let isEncoded = page["EncodingType"] == "url"
        let isCut = page["IsTruncated"] == "true"
        let next = isCut ? page["NextContinuationToken"] : nil
        // Servers with only the first version of ListObjects give no token.
        guard !isCut || next != nil && next != token else {
            throw error("the list is cut, and does not go on", "use a server with ListObjectsV2")
        }
        return (page.elements("Contents").compactMap { Self.entry($0, isEncoded: isEncoded) }, next)
    }

    private static func entry(_ element: S3Document, isEncoded: Bool) -> MirrorEntry? {
        guard let listed = element["Key"], let bytes = element["Size"].flatMap(Int64.init),
            let key = isEncoded ? PercentCode.decoded(listed, plusIsSpace: true) : listed
        else { return nil }
        return MirrorEntry(
            key: key, bytes: bytes, modified: element["LastModified"].flatMap(Instant.parsed) ?? .epoch,
            version: element["ETag"] ?? "")
    }

    // MARK: - Objects

    func separateConnection() -> any MirrorSource { S3Bucket(place, keys: keys, clock: clock) }

    func head(of entry: MirrorEntry, count: Int) throws -> MirrorHead {
        let answer = entry.bytes == 0 ? try ask("HEAD", entry.key) : try piece(of: entry, from: 0, count: count)
        return MirrorHead(labels: Self.labels(answer), bytes: answer.body)
    }

    /// The metadata of the object; a device writes what is not ASCII percent-encoded.
    private static func labels(_ answer: Answer) -> [String: String] {
        var labels: [String: String] = [:]
        let start = "x-amz-meta-"
        for (name, value) in answer.fields where name.hasPrefix(start) {
            let own = String(name.dropFirst(start.count).replacing("-", with: "_"))
            labels[own] = PercentCode.decoded(value, plusIsSpace: false) ?? value
        }
        labels["content_type"] = answer.fields["content-type"]
        return labels
    }

    func bytes(of entry: MirrorEntry, from offset: Int64, count: Int) throws -> [UInt8] {
        offset < entry.bytes ? try piece(of: entry, from: offset, count: count).body : []
    }

    private func piece(of entry: MirrorEntry, from offset: Int64, count: Int) throws -> Answer {
        let end = min(entry.bytes, offset + Int64(count)) - 1
        let range = AWSSignature.Field(name: "Range", value: "bytes=\(offset)-\(end)")
        let answer = try ask("GET", entry.key, headers: [range], limit: max(count, 65_536))
        guard answer.body.count == Int(end - offset + 1) else {
            throw MirrorProblem(words: "has another length than the list says")
        }
        return answer
    }

    // MARK: - Requests

    private struct Answer {
        let status: Int
        /// By names in lower case.
        let fields: [String: String]
        let body: [UInt8]
    }

    private func ask(
        _ method: String, _ key: String, query: [AWSSignature.Field] = [], headers: [AWSSignature.Field] = [],
        limit: Int = 8 << 20
    ) throws -> Answer {
        let (scheme, host) = server
        let path =
            (place.isHostStyle ? "/" : "/\(place.bucket)") + (key.isEmpty ? "" : place.isHostStyle ? key : "/\(key)")
        let nothing = try Digest(of: []).description
        let request = AWSSignature.Request(
            method: method, host: host, path: path, query: query,
            headers: headers + [.init(name: "x-amz-content-sha256", value: nothing)], payload: nothing)
        let signed = try AWSSignature(keys: keys, region: place.region).signed(request, at: clock.now)
        let answer = try perform(method, scheme + host + request.target, signed, limit: limit)
        guard (200...299).contains(answer.status) else {
            let document = S3Document(answer.body)
            let code = document["Code"] ?? ""
            let said = [String(answer.status), code, document["Message"] ?? ""].filter { !$0.isEmpty }
            let cause = "\(method) was answered \(said.joined(separator: " "))"
            // Of this object alone: it was removed since the listing, or lies in an archive class.
            let isOfObject = answer.status == 404 && code != "NoSuchBucket" || code == "InvalidObjectState"
            if !key.isEmpty, isOfObject { throw MirrorProblem(words: cause) }
            throw error(cause, Self.remedies[code])
        }
        return answer
    }

    private static let remedies = [
        "AccessDenied": "give the key the rights s3:ListBucket and s3:GetObject",
        "SignatureDoesNotMatch": "check the secret key and the region",
        "InvalidAccessKeyId": "check the access key", "NoSuchBucket": "check the bucket's name and the endpoint",
        "RequestTimeTooSkewed": "set this machine's clock", "ExpiredToken": "get new keys",
    ]

    private func error(_ cause: String, _ remedy: String?) -> FileError {
        FileError(path: name, message: cause, remedy: remedy)
    }

    private var server: (scheme: String, host: String) {
        let start = place.endpoint.firstRange(of: "://")?.upperBound ?? place.endpoint.startIndex
        let scheme = place.endpoint[..<start]
        let host = String(place.endpoint[start...])
        return (scheme.isEmpty ? "https://" : String(scheme), place.isHostStyle ? "\(place.bucket).\(host)" : host)
    }

    /// What libcurl's callbacks collect of one response. A callback that returns 0 ends the transfer.
    private final class Inbox {
        var body: [UInt8] = []
        var fields: [String: String] = [:]
        let limit: Int
        init(limit: Int) { self.limit = limit }
    }

    private func perform(_ method: String, _ url: String, _ fields: [AWSSignature.Field], limit: Int) throws -> Answer {
        guard let answer = try curl.use({ try perform(method, url, fields, limit: limit, by: $0) }) else {
            throw error("libcurl cannot be started", nil)
        }
        return answer
    }

    private func perform(
        _ method: String, _ url: String, _ fields: [AWSSignature.Field], limit: Int, by handle: UnsafeMutableRawPointer
    ) throws -> Answer {
        let inbox = Inbox(limit: limit)
        let context = Unmanaged.passUnretained(inbox).toOpaque()
        let list = fields.reduce(nil) { curl_slist_append($0, "\($1.name): \($1.value)") ?? $0 }
        defer { curl_slist_free_all(list) }
        studyd_curl_set_text(handle, CURLOPT_URL, url)
        studyd_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        studyd_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        // libcurl must not change the path, which is signed.
        studyd_curl_set_long(handle, CURLOPT_PATH_AS_IS, 1)
        studyd_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, 30_000)
        // Ends a transfer of less than 10 bytes per second for 60 s.
        studyd_curl_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, 10)
        studyd_curl_set_long(handle, CURLOPT_LOW_SPEED_TIME, 60)
        if method == "HEAD" { studyd_curl_set_long(handle, CURLOPT_NOBODY, 1) }
        if let authority = place.authority { studyd_curl_set_text(handle, CURLOPT_CAINFO, authority) }
        studyd_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
        studyd_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        studyd_curl_set_bytes(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context, let bytes else { return 0 }
            let inbox = Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
            guard inbox.body.count + size * count <= inbox.limit else { return 0 }
            inbox.body += UnsafeRawBufferPointer(start: bytes, count: size * count)
            return size * count
        }
        studyd_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        studyd_curl_set_bytes(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let context, let bytes else { return 0 }
            let inbox = Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
            let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2, inbox.fields.count < 200 {
                inbox.fields[pair[0].lowercased()] = String(
                    pair[1].drop(while: \.isWhitespace).prefix { !$0.isNewline })
            }
            return size * count
        }
        var words = [UInt8](repeating: 0, count: Int(CURL_ERROR_SIZE))
        guard studyd_curl_perform(handle, &words) == CURLE_OK else {
            throw error(String(decoding: words.prefix { $0 != 0 }, as: UTF8.self), "check the endpoint and the network")
        }
        return Answer(status: Int(studyd_curl_status(handle)), fields: inbox.fields, body: inbox.body)
    }
}

/// A handle of libcurl, which keeps its connection between requests.
private final class CurlHandle: Sendable {
    private let handle = Mutex<UnsafeMutableRawPointer?>(nil)

    deinit { handle.withLock { if let handle = $0 { curl_easy_cleanup(handle) } } }

    /// `body` gets the handle with all options as they were when it was new; nil where none can be made.
    func use<Value: Sendable>(_ body: (UnsafeMutableRawPointer) throws -> Value) rethrows -> Value? {
        try handle.withLock { kept in
            if kept == nil, studyd_curl_start() == CURLE_OK { kept = curl_easy_init() }
            guard let handle = kept else { return nil }
            curl_easy_reset(handle)
            return try body(handle)
        }
    }
}
