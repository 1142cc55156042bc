// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

extension OutboxDraft {
    /// The item this draft becomes in that enrolment, for `Outbox.queue`. Without the store's `secret`, which is
    /// replaced when answers are erased, the digests that stay in the log do not allow a guess of what was sent.
    func item(in enrolment: String, secret: [UInt8]) throws -> QueuedItem {
        let digest: String
        let bytes: Int64
        var reference: FileReference?
        switch content {
        case .request(let request):
            digest = try Digest(of: secret + request.digest().bytes).description
            bytes = Int64(request.body.count)
        case .file(let file):
            digest = file.sha256
            bytes = file.bytes
            reference = file
        }
        var item = QueuedItem(
            id: "", origin: origin, itemClass: itemClass, destination: destination,
            requestDigest: reference == nil ? digest : nil, bytes: bytes, file: reference, isLast: isLast ? true : nil)
        item.id = try item.name(in: enrolment, secret: secret)
        return item
    }
}

extension QueuedItem {
    /// The id that it has in that enrolment.
    func name(in enrolment: String, secret: [UInt8]) throws -> String {
        let parts = [enrolment, destination, origin, requestDigest ?? file?.sha256 ?? "", file?.path ?? ""]
        return String(try Digest(of: secret + netstrings(parts)).description.prefix(32))
    }

    /// True where its id was made with that secret: so `Salvage` finds the right one.
    func isMade(with secret: [UInt8], in enrolment: String) -> Bool {
        (try? name(in: enrolment, secret: secret)) == id
    }
}

extension WireRequest {
    /// SHA-256 over every part, so that one changed header is another request.
    func digest() throws -> Digest {
        let head = netstrings([method, url] + headers.flatMap { [$0.name, $0.value] })
        return try Digest(of: head + Array("\(body.count):".utf8) + body)
    }
}

/// Texts one after the other as `<bytes>:<text>,`: no text can be taken for another's end.
func netstrings(_ texts: [String]) -> [UInt8] {
    texts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) + [UInt8(ascii: ",")] }
}
