// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// Content encrypted while it comes (age v1): chunks of 64 KiB, each of which opens by itself, so that
/// a file that ends anywhere opens up to its last whole chunk. Call `append` as often as content comes, then
/// `finish` once.
///
/// The key of the file is in memory alone, and a file that has ended cannot be continued. No I/O. Recordings
/// (`SegmentFile`) and stored answers (`BodyEncryption`) are written through it.
package final class AgeWriter {
    /// Bytes of content in each chunk but the last.
    package static let chunk = 65_536
    /// Bytes that encrypting a chunk adds.
    static let overhead = ChaChaPoly.tagLength
    static let nonceLength = 16

    private let payload: ChunkKey
    /// Header and nonce; empty once they were given out.
    private var start: [UInt8]
    /// Content of the chunk that is not given out yet.
    private var rest: [UInt8] = []
    /// Chunks given out.
    private var count: UInt64 = 0

    /// A file that each of the recipients can open.
    package init(to recipients: [AgeRecipient], random: (Int) -> [UInt8] = SecureRandom.bytes) throws(AgeFault) {
        let (fileKey, nonce) = (random(AgeHeader.fileKeyLength), random(Self.nonceLength))
        start = try AgeHeader.text(to: recipients, fileKey: fileKey, random: random) + nonce
        payload = try ChunkKey(fileKey: fileKey, nonce: nonce)
    }

    /// All of a small content.
    package static func encrypt(
        _ content: [UInt8], to recipients: [AgeRecipient], random: (Int) -> [UInt8] = SecureRandom.bytes
    ) throws(AgeFault) -> [UInt8] {
        let writer = try AgeWriter(to: recipients, random: random)
        var out: [UInt8] = []
        try writer.append(content, to: &out)
        try writer.finish(to: &out)
        return out
    }

    /// Bytes of content in the chunks that were given out; not to be asked after `finish`.
    package var encryptedCount: Int { Int(count) * Self.chunk }
    /// Bytes of content in memory.
    package var pendingCount: Int { rest.count }

    /// Appends to `out` the header, once, and the chunks that are whole now.
    package func append(_ bytes: [UInt8], to out: inout [UInt8]) throws(AgeFault) {
        begin(&out)
        // A full chunk may still be the last one, which has another nonce.
        guard rest.count + bytes.count > Self.chunk else {
            rest += bytes
            return
        }
        let first = Self.chunk - rest.count
        rest += bytes[..<first]
        try encrypt(rest[...], isLast: false, to: &out)
        var place = first
        while bytes.count - place > Self.chunk {
            try encrypt(bytes[place..<(place + Self.chunk)], isLast: false, to: &out)
            place += Self.chunk
        }
        rest = Array(bytes[place...])
    }

    /// Appends the last chunk. Nothing can follow.
    package func finish(to out: inout [UInt8]) throws(AgeFault) {
        begin(&out)
        try encrypt(rest[...], isLast: true, to: &out)
        rest = []
    }

    private func begin(_ out: inout [UInt8]) {
        out += start
        start = []
    }

    private func encrypt(_ content: ArraySlice<UInt8>, isLast: Bool, to out: inout [UInt8]) throws(AgeFault) {
        guard payload.cipher.encrypt(content, nonce: ChunkKey.nonce(count, isLast: isLast), to: &out) else {
            throw .library
        }
        count += 1
    }
}
