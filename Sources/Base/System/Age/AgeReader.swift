// SPDX-License-Identifier: Apache-2.0

/// The content of a file that age encrypted (v1) to an X25519 key, chunk by chunk: each is checked before its
/// bytes are given out. For those with the key: the lab, `studyd-tools`, and the device for what it encrypted
/// to itself.
package final class AgeReader {
    /// Up to that many bytes from a place in the encrypted file; fewer only at its end.
    package typealias Source = (_ count: Int, _ offset: Int) throws(FileError) -> [UInt8]

    private let source: Source
    private let payload: ChunkKey
    /// Where the next chunk begins in the encrypted file, and its number from 0.
    private var place: Int
    private var number: UInt64 = 0
    /// The chunk that is marked as the last one was read.
    private var isOver = false
    /// Bytes of content given out.
    package private(set) var opened = 0

    package init(_ source: @escaping Source, _ identities: [AgeIdentity]) throws(AgeFault) {
        self.source = source
        let start = try Self.read(source, AgeHeader.largest, 0)
        let header = try AgeHeader(start)
        let fileKey = try header.fileKey(identities)
        place = header.length + AgeWriter.nonceLength
        let nonce = try Self.read(source, AgeWriter.nonceLength, header.length)
        guard nonce.count == AgeWriter.nonceLength else { throw .header("its header is truncated") }
        payload = try ChunkKey(fileKey: fileKey, nonce: nonce)
    }

    package convenience init(_ file: File, _ identities: [AgeIdentity]) throws(AgeFault) {
        try self.init({ count, offset throws(FileError) in try file.read(count, at: offset) }, identities)
    }

    package convenience init(_ bytes: [UInt8], _ identities: [AgeIdentity]) throws(AgeFault) {
        try self.init({ count, offset in Array(bytes.dropFirst(offset).prefix(count)) }, identities)
    }

    /// Whether a file that starts with these bytes says that it is one of age's.
    package static func begins(_ start: [UInt8]) -> Bool { start.starts(with: "age-encryption.org/".utf8) }

    /// Bytes of content that the size of a file stands for, those of a last chunk that is not whole
    /// included; no key is needed for it.
    package static func contentLength(of file: File) throws(AgeFault) -> Int {
        let header = try AgeHeader(
            read({ count, offset throws(FileError) in try file.read(count, at: offset) }, AgeHeader.largest, 0))
        let size: Int
        do throws(FileError) { size = try file.size() } catch { throw .source(error) }
        let encrypted = max(0, size - header.length - AgeWriter.nonceLength)
        let (chunks, rest) = encrypted.quotientAndRemainder(dividingBy: AgeWriter.chunk + AgeWriter.overhead)
        return chunks * AgeWriter.chunk + max(0, rest - AgeWriter.overhead)
    }

    /// The next chunk's content; nil after the last one. Throws `.cut` where the file ends without
    /// its last chunk.
    package func next() throws(AgeFault) -> [UInt8]? {
        let chunk = try Self.read(source, AgeWriter.chunk + AgeWriter.overhead, place)
        if isOver {
            if !chunk.isEmpty { throw .damaged(at: opened) }
            return nil
        }
        guard !chunk.isEmpty else { throw .cut(at: opened) }
        let content = try open(chunk[...])
        place += chunk.count
        number += 1
        opened += content.count
        return content
    }

    /// The content of a small file.
    package static func open(_ encrypted: [UInt8], _ identities: [AgeIdentity]) throws(AgeFault) -> [UInt8] {
        let reader = try AgeReader(encrypted, identities)
        var content: [UInt8] = []
        while let piece = try reader.next() { content += piece }
        return content
    }

    private func open(_ chunk: ArraySlice<UInt8>) throws(AgeFault) -> [UInt8] {
        let isFull = chunk.count == AgeWriter.chunk + AgeWriter.overhead
        if isFull, let content = payload.cipher.open(chunk, nonce: ChunkKey.nonce(number, isLast: false)) {
            return content
        }
        if let content = payload.cipher.open(chunk, nonce: ChunkKey.nonce(number, isLast: true)) {
            // Only an empty file has an empty chunk.
            guard !content.isEmpty || number == 0 else { throw .damaged(at: opened) }
            isOver = true
            return content
        }
        // A part of a chunk, at the file's end, is what a power cut leaves.
        throw isFull ? .damaged(at: opened) : .cut(at: opened)
    }

    private static func read(_ source: Source, _ count: Int, _ offset: Int) throws(AgeFault) -> [UInt8] {
        do throws(FileError) { return try source(count, offset) } catch { throw .source(error) }
    }
}
