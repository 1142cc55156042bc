// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// One step of one object on its way into a bucket; `S3Destination` has the states. `put` sends small objects
/// in one request, `begin` and `resume` larger ones in parts. Belongs to the lane's thread.
struct S3Delivery {
    private let payload: UploadPayload
    private let job: DeliveryJob
    private let server: S3Server
    private let client: HTTPClient
    /// Bytes of each part but the last.
    private let part: Int64

    init(_ payload: UploadPayload, _ job: DeliveryJob, to server: S3Server, part: Int64, by client: HTTPClient) {
        (self.payload, self.job, self.server, self.client) = (payload, job, server, client)
        // 10,000 parts at most.
        self.part = max(part, (payload.bytes + 9_999) / 10_000)
    }

    func step(under name: S3ObjectName) throws -> DeliveryStep {
        if let location = job.location { return try resume(S3Place(location)) }
        return try payload.bytes <= part ? put(name) : begin(name)
    }

    // MARK: - One request

    /// Sends the object under the first of its names that no other content has.
    private func put(_ name: S3ObjectName) throws -> DeliveryStep {
        for number in 1...Self.copies {
            let key = name.copy(number).key
            if !server.knowsConditions {
                switch try occupant(of: key) {
                case .end(let step): return step
                case .another: continue
                case .nothing, .unreadable: break
                }
            }
            let condition = server.knowsConditions ? [field("If-None-Match", "*")] : []
            let response = try send(
                "PUT", key, headers: condition + labels + [checksum(try wholeDigest())],
                body: payload.bytes == 0 ? .bytes([]) : payload.piece(from: 0, length: payload.bytes),
                payload: try wholeDigest().description)
            switch response.status {
            case 200...299 where ForeignAnswer(response) == nil: return try confirm(response, key)
            case 412: if let step = try endOfSent(key) { return step }
            case 501 where server.knowsConditions:
                server.forgetConditions()
                return try put(name)
            default: return refusal(response, "PUT")
            }
        }
        return .finished(.refused(reason: "\(name.key) and \(Self.copies - 1) more names have other content"))
    }

    /// How many names are tried (`name`, `name~2` …); another object has the name only if a device was
    /// enrolled twice under one name.
    private static let copies = 9

    /// What a bucket has under a name.
    private enum Occupant {
        case nothing
        case another
        /// Nothing, or an object that the key may not read: the server does not say which.
        case unreadable
        /// This object, as a finished step; or the step for an answer that says nothing of it.
        case end(DeliveryStep)
    }

    /// The step where the name has this content, or the server did not say; nil where it has none or another.
    private func deliveredIfPresent(_ key: String) throws -> DeliveryStep? {
        if case .end(let step) = try occupant(of: key) { step } else { nil }
    }

    /// The same for a name that certainly exists: where it cannot be read, the item is held, since sending it
    /// again would never end.
    private func endOfExisting(_ key: String) throws -> DeliveryStep? {
        switch try occupant(of: key) {
        case .end(let step): step
        case .unreadable: .held(reason: "\(key) is there, and cannot be read: give the key the right s3:GetObject")
        case .nothing, .another: nil
        }
    }

    /// The same after the object was sent: where it cannot be read, the location notes that it was sent, and
    /// later steps only ask for it.
    private func endOfSent(_ key: String) throws -> DeliveryStep? {
        let end = try endOfExisting(key)
        if case .held? = end { return .located(S3Place.sent(key).text) }
        return end
    }

    private func occupant(of key: String) throws -> Occupant {
        let response = try send("HEAD", key, headers: [field("x-amz-checksum-mode", "ENABLED")])
        switch response.status {
        case 200...299: break
        case 404: return .nothing
        // S3 answers 403 for a missing object without the right to list, and for any object without the right
        // to read.
        case 403: return .unreadable
        default: return .end(refusal(response, "HEAD"))
        }
        return try isOurs(response) ? .end(.finished(.delivered(receipt: receipt(response, key)))) : .another
    }

    private func isOurs(_ response: HTTPResponse) throws -> Bool {
        let digest = try wholeDigest()
        guard response["Content-Length"].flatMap(Int64.init) == payload.bytes else { return false }
        return response["x-amz-checksum-sha256"] == Base64.encoded(digest.bytes)
            || response["x-amz-meta-sha256"] == digest.description
    }

    /// The step after a PUT: a checksum in the answer has to be ours; without one the server is asked what it
    /// has.
    private func confirm(_ response: HTTPResponse, _ key: String) throws -> DeliveryStep {
        // One with `-` is made of parts' checksums, and says nothing of the whole object.
        guard let said = response["x-amz-checksum-sha256"], !said.contains("-") else {
            let found = try endOfSent(key)
            return found ?? .finished(.retry(reason: "\(key) was taken, but is not there with its length and SHA-256"))
        }
        guard said == Base64.encoded(try wholeDigest().bytes) else {
            return .finished(.retry(reason: "\(key): the server has other bytes than were sent: sha256 \(said)"))
        }
        return .finished(.delivered(receipt: receipt(response, key)))
    }

    // MARK: - In parts

    private func begin(_ name: S3ObjectName) throws -> DeliveryStep {
        for number in 1...Self.copies {
            let key = name.copy(number).key
            switch try occupant(of: key) {
            case .end(let step): return step
            case .another: continue
            case .nothing, .unreadable: return try create(key)
            }
        }
        return .finished(.refused(reason: "\(name.key) and \(Self.copies - 1) more names have other content"))
    }

    private func create(_ key: String) throws -> DeliveryStep {
        let response = try send(
            "POST", key, query: [field("uploads", "")],
            headers: labels + [field("x-amz-checksum-algorithm", "SHA256")], body: .bytes([]))
        guard response.status == 200, let id = S3Document(response.body)["UploadId"], !id.isEmpty else {
            return refusal(response, "creation")
        }
        return .located(S3Place(key: key, upload: id, part: part).text)
    }

    private func resume(_ place: S3Place?) throws -> DeliveryStep {
        if let place, place.isSent { return try endOfExisting(place.key) ?? .located(nil) }
        guard let place, place.part > 0, payload.bytes > place.part else { return .located(nil) }
        guard let offset = job.offset, offset < payload.bytes else { return try judge(place) }
        return try put(from: offset, in: place)
    }

    private func put(from offset: Int64, in place: S3Place) throws -> DeliveryStep {
        let length = min(place.part, payload.bytes - offset)
        guard offset % place.part == 0 else { return .progressed(nil) }
        let digest = try payload.digest(from: offset, length: length)
        let number = offset / place.part + 1
        let response = try send(
            "PUT", place.key, query: [field("partNumber", String(number)), field("uploadId", place.upload)],
            headers: [checksum(digest)], body: payload.piece(from: offset, length: length),
            payload: digest.description)
        if isGone(response) { return .located(nil) }
        guard response.status == 200, response["ETag"] != nil else { return refusal(response, "part \(number)") }
        if let said = response["x-amz-checksum-sha256"], said != Base64.encoded(digest.bytes) {
            return .finished(.retry(reason: "part \(number): the server has other bytes than were sent"))
        }
        return .progressed(offset + length)
    }

    /// Asks which parts the server has; completes the upload where it has all.
    private func judge(_ place: S3Place) throws -> DeliveryStep {
        var parts: [S3Part] = []
        while true {
            let response = try send(
                "GET", place.key,
                query: [
                    field("max-parts", "100"), field("part-number-marker", String(parts.count)),
                    field("uploadId", place.upload),
                ])
            // A lost answer to the completion: the upload is over, and the object is there.
            if isGone(response) { return try deliveredIfPresent(place.key) ?? .located(nil) }
            guard response.status == 200 else { return refusal(response, "list of parts") }
            let page = S3Document(response.body)
            let found = page.elements("Part").compactMap(S3Part.init)
            let before = parts.count
            for part in found where part.number == parts.count + 1 {
                guard try isOurs(part, place) else { break }
                parts.append(part)
            }
            let isWhole = parts.count == found.last?.number
            // A server that ignores the marker would give the same page for ever.
            guard page["IsTruncated"] == "true", isWhole, parts.count > before else { break }
        }
        let offset = min(payload.bytes, Int64(parts.count) * place.part)
        return offset == payload.bytes ? try complete(place, parts) : .progressed(offset)
    }

    /// A part counts if it is as long as ours and has our SHA-256, or our MD5 for a tag where the server
    /// keeps no other; one with a tag that is no MD5 (encrypted by the server's own keys) is sent again.
    private func isOurs(_ part: S3Part, _ place: S3Place) throws -> Bool {
        let offset = Int64(part.number - 1) * place.part
        guard offset < payload.bytes, part.size == min(place.part, payload.bytes - offset) else { return false }
        guard let said = part.checksum else { return part.isTagged(try payload.md5(from: offset, length: part.size)) }
        return said == Base64.encoded(try payload.digest(from: offset, length: part.size).bytes)
    }

    private func complete(_ place: S3Place, _ parts: [S3Part]) throws -> DeliveryStep {
        let body = Array("<CompleteMultipartUpload>\(parts.map(\.text).joined())</CompleteMultipartUpload>".utf8)
        let condition = server.knowsConditions ? [field("If-None-Match", "*")] : []
        let response = try send(
            "POST", place.key, query: [field("uploadId", place.upload)],
            headers: condition + [field("Content-Type", "application/xml")], body: .bytes(body),
            payload: try Digest(of: body).description)
        if isGone(response) { return try deliveredIfPresent(place.key) ?? .located(nil) }
        let document = S3Document(response.body)
        switch response.status {
        case 200 where document["ETag"] != nil && document["Code"] == nil:
            if let said = document["ChecksumSHA256"], said == (try checksum(of: parts)) {
                return .finished(.delivered(receipt: receipt(place.key, tag: document["ETag"], checksum: said)))
            }
            return try endOfSent(place.key)
                ?? .finished(.retry(reason: "\(place.key) was completed, but is not there"))
        case 412: return try endOfExisting(place.key) ?? giveUp(place)
        case 409: return .located(nil)
        case 501 where server.knowsConditions:
            server.forgetConditions()
            return try complete(place, parts)
        default: return refusal(response, "completion")
        }
    }

    /// The SHA-256 of an object in parts: that of the parts' digests, and their number (S3 User Guide, "Checking
    /// object integrity"); nil where the server has no digest of a part.
    private func checksum(of parts: [S3Part]) throws -> String? {
        let digests = parts.compactMap { $0.checksum.flatMap { Base64.decoded($0) } }
        guard digests.count == parts.count else { return nil }
        return "\(Base64.encoded(try Digest(of: Array(digests.joined())).bytes))-\(parts.count)"
    }

    /// Another object has got the name meanwhile: the parts are deleted, and the item begins again under the
    /// next name. Parts that cannot be deleted are left to the bucket's lifecycle rule.
    private func giveUp(_ place: S3Place) throws -> DeliveryStep {
        _ = try send("DELETE", place.key, query: [field("uploadId", place.upload)])
        return .located(nil)
    }

    // MARK: - Requests

    private func send(
        _ method: String, _ key: String, query: [WireRequest.Header] = [], headers: [WireRequest.Header] = [],
        body: HTTPRequest.Body = .none, payload: String = S3Server.nothing
    ) throws -> HTTPResponse {
        try server.send(
            method, key, query: query, headers: headers, body: body, payload: payload, at: job.now, by: client)
    }

    private func wholeDigest() throws -> Digest { try payload.digest(from: 0, length: payload.bytes) }

    private func field(_ name: String, _ value: String) -> WireRequest.Header { .init(name: name, value: value) }

    private func checksum(_ digest: Digest) -> WireRequest.Header {
        field("x-amz-checksum-sha256", Base64.encoded(digest.bytes))
    }

    /// The object's media type and metadata; S3 metadata is US-ASCII, so anything else is percent-encoded.
    private var labels: [WireRequest.Header] {
        let known = payload.file.metadata.merging(job.owner) { own, _ in own }.merging([
            "sha256": payload.file.sha256, "item": job.item.item.id, "enrolment": job.item.enrolment,
        ]) { _, ours in ours }
        // Keys of `_`, `-`, small letters and digits only.
        let metadata = known.sorted { $0.key < $1.key }.filter { pair in
            !pair.value.isEmpty && !pair.key.isEmpty
                && pair.key.utf8.allSatisfy {
                    $0 == 0x5F || $0 == 0x2D || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0)
                }
        }
        return [field("Content-Type", payload.file.contentType)]
            + metadata.map {
                field(
                    "x-amz-meta-" + $0.key.replacing("_", with: "-"), PercentCode.encoded($0.value, keeping: " :/+,"))
            }
    }

    private func receipt(_ response: HTTPResponse, _ key: String) -> String {
        receipt(key, tag: response["ETag"], checksum: response["x-amz-checksum-sha256"])
    }

    private func receipt(_ key: String, tag: String?, checksum: String?) -> String {
        let said = checksum.map { "checksum \($0)" } ?? "no checksum"
        return "\(key) \(payload.bytes) bytes sha256 \(payload.file.sha256), etag \(tag ?? "none"), \(said)"
            + (server.clockRemark.map { ", \($0)" } ?? "")
    }

    private func isGone(_ response: HTTPResponse) -> Bool {
        response.status == 404 && S3Document(response.body)["Code"] == "NoSuchUpload"
    }

    /// The step for an answer that is no success. Only what is wrong with the object itself is refused for
    /// good; wrong keys, names and clocks can be corrected, so they are retried.
    private func refusal(_ response: HTTPResponse, _ step: String) -> DeliveryStep {
        let isXML = response.body.starts(with: Array("<?xml".utf8)) || response.body.starts(with: Array("<Error>".utf8))
        if !isXML, let foreign = ForeignAnswer(response) { return .foreign(foreign, to: step) }
        let document = S3Document(response.body)
        let code = document["Code"] ?? ""
        let said = [String(response.status), code, document["Message"] ?? ""].filter { !$0.isEmpty }
        let reason = "\(step) was answered \(said.joined(separator: " "))"
        if Self.final.contains(code) { return .finished(.refused(reason: reason)) }
        if let wait = response.retryAfter { return .later(reason: reason, wait: wait) }
        return .finished(.retry(reason: Self.remedies[code].map { "\(reason): \($0)" } ?? reason))
    }

    /// Error codes that the same object would get again (S3 API Reference, "Error responses").
    private static let final: Set<String> = ["EntityTooLarge", "KeyTooLongError", "MetadataTooLarge"]

    private static let remedies = [
        "AccessDenied":
            "give the key the rights s3:PutObject, s3:GetObject, s3:ListMultipartUploadParts and s3:AbortMultipartUpload",
        "SignatureDoesNotMatch": "check secret_key and region",
        "AuthorizationHeaderMalformed": "set region to the bucket's",
        "InvalidAccessKeyId": "check access_key",
        "ExpiredToken": "put new keys into access_key, secret_key and session_token",
        "InvalidToken": "put new keys into access_key, secret_key and session_token",
        "NoSuchBucket": "make the bucket, or set bucket",
        "PermanentRedirect": "set url and region to the bucket's own",
        "RequestTimeTooSkewed": "the server's own clock and its answers disagree",
    ]
}
