// SPDX-License-Identifier: Apache-2.0
import Base

/// A multipart upload that a server has begun for an `S3Delivery`, as the outbox keeps it:
/// `<part size> <upload id> <key>`. An object that was sent, but that the key may not read to confirm it, is kept
/// as `0 sent <key>`.
struct S3Place: Sendable, Hashable {
    let key: String
    let upload: String
    /// Bytes of each part but the last.
    let part: Int64

    init(key: String, upload: String, part: Int64) { (self.key, self.upload, self.part) = (key, upload, part) }

    static func sent(_ key: String) -> S3Place { S3Place(key: key, upload: "sent", part: 0) }

    var isSent: Bool { self == .sent(key) }

    /// Nil for a text that `text` did not write.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2).map(String.init)
        guard parts.count == 3, let part = Int64(parts[0]) else { return nil }
        self.init(key: parts[2], upload: parts[1], part: part)
    }

    var text: String { "\(part) \(upload) \(key)" }
}

/// A part that a server has (ListParts).
struct S3Part: Sendable, Hashable {
    /// From 1.
    let number: Int
    let size: Int64
    private let tag: String
    /// SHA-256 in base 64; nil where the server keeps none.
    let checksum: String?

    init?(_ document: S3Document) {
        guard let number = document["PartNumber"].flatMap({ Int($0) }),
            let size = document["Size"].flatMap({ Int64($0) }),
            let tag = document["ETag"]
        else { return nil }
        (self.number, self.size, self.tag, checksum) = (number, size, tag, document["ChecksumSHA256"])
    }

    /// Whether its tag is that MD5; tags have quotation marks.
    func isTagged(_ digest: String) -> Bool { tag.lowercased().filter { $0 != "\"" } == digest }

    /// As the completion names it.
    var text: String {
        let digest = checksum.map { "<ChecksumSHA256>\($0)</ChecksumSHA256>" } ?? ""
        return "<Part><PartNumber>\(number)</PartNumber><ETag>\(S3Document.escaped(tag))</ETag>\(digest)</Part>"
    }
}
