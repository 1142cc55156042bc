// SPDX-License-Identifier: Apache-2.0
import Base
import CCurl
import Study
import Synchronization
import SystemKit

/// Sends signed requests to a bucket of an S3 server, and remembers what was learnt about that server: its
/// clock, and whether it takes conditional requests. `open` comes first.
final class S3Server: Sendable {
    private struct State {
        var keys: AWSSignature.Keys?
        /// How far the server's clock is ahead of ours; used for signatures only.
        var skew = Duration.zero
        var knowsConditions = true
    }

    /// Scheme, host and port, without a path, since what follows the scheme is signed as the host.
    let endpoint: String
    private let bucket: String
    private let region: String
    /// True: `https://bucket.host/key`, as Amazon wants it; false: `https://host/bucket/key`.
    private let isHostStyle: Bool
    private let limits: HTTPLimits
    private let state = Mutex(State())

    init(endpoint: String, bucket: String, region: String, isHostStyle: Bool, limits: HTTPLimits) {
        self.endpoint = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        self.bucket = bucket
        self.region = region
        self.isHostStyle = isHostStyle
        self.limits = limits
    }

    /// Begins with these keys; what was learnt before is forgotten, except the clock's skew.
    func open(_ keys: AWSSignature.Keys) { state.withLock { ($0.keys, $0.knowsConditions) = (keys, true) } }

    /// Whether it takes `If-None-Match` (501 where it does not, such as OpenStack Swift before 2.36).
    var knowsConditions: Bool { state.withLock { $0.knowsConditions } }

    func forgetConditions() { state.withLock { $0.knowsConditions = false } }

    /// A note for receipts where requests are signed by the server's clock; nil where ours is right.
    var clockRemark: String? {
        let seconds = state.withLock { $0.skew.components.seconds }
        return seconds == 0 ? nil : "signed by the server's clock, which is \(seconds) s ahead of this device's"
    }

    /// Sends a request for an object, or for the bucket where `key` is empty; `payload` is the SHA-256 of the
    /// body. Where the server finds our clock too far off, it is sent once more, signed by the server's
    /// clock.
    func send(
        _ method: String, _ key: String, query: [WireRequest.Header] = [], headers: [WireRequest.Header] = [],
        body: HTTPRequest.Body = .none, payload: String = S3Server.nothing, at now: Instant, by client: HTTPClient
    ) throws -> HTTPResponse {
        let request = AWSSignature.Request(
            method: method, host: host, path: isHostStyle ? "/\(key)" : "/\(bucket)/\(key)",
            query: query.map { .init(name: $0.name, value: $0.value) },
            headers: headers.map { .init(name: $0.name, value: $0.value) }
                + [.init(name: "x-amz-content-sha256", value: payload)], payload: payload)
        func once() throws -> HTTPResponse {
            let (keys, skew) = state.withLock { ($0.keys, $0.skew) }
            guard let keys else { throw S3Closed() }
            let signed = try AWSSignature(keys: keys, region: region).signed(request, at: now + skew).map {
                WireRequest.Header(name: $0.name, value: $0.value)
            }
            return try client.send(
                HTTPRequest(
                    method: method, url: scheme + host + request.target, headers: signed, body: body, limits: limits))
        }
        let response = try once()
        guard response.status == 403, let moment = response["Date"].flatMap(Self.date), learn(moment - now) else {
            return response
        }
        return try once()
    }

    /// SHA-256 of no bytes.
    static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private var scheme: String { endpoint.lowercased().hasPrefix("https:") ? "https://" : "http://" }

    /// The host as libcurl writes it in `Host`, which is signed: without the scheme's usual port.
    var host: String {
        var host = endpoint.firstRange(of: "://").map { String(endpoint[$0.upperBound...]) } ?? endpoint
        let usual = scheme == "https://" ? ":443" : ":80"
        if host.hasSuffix(usual) { host.removeLast(usual.count) }
        return isHostStyle ? "\(bucket).\(host)" : host
    }

    /// Takes in how far the server's clock is ahead. True where that changed by more than servers allow (15
    /// minutes), so that another try makes sense.
    private func learn(_ ahead: Duration) -> Bool {
        state.withLock { state in
            let change = ahead - state.skew
            guard change > Self.tolerance || change < .zero - Self.tolerance else { return false }
            state.skew = ahead
            return true
        }
    }

    /// Servers refuse at 15 minutes; a minute less allows for the time a request takes.
    private static let tolerance = Duration.seconds(14 * 60)

    /// Parses a `Date` field (RFC 9110 §5.6.7), in any of its forms.
    private static func date(_ text: String) -> Instant? {
        let seconds = curl_getdate(text, nil)
        return seconds < 0 ? nil : Instant(seconds: Int64(seconds))
    }
}

/// A request before `open`, which is a bug: the lane opens the destination first.
private struct S3Closed: ExplainedError {
    var explanation: Explanation { Explanation(place: "s3", cause: "the keys were not read", remedy: "report this") }
}
