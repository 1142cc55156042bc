// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit

/// Sound from a WAV file: 16-bit PCM, whole in memory: what `Speaker` plays (`MediaCache`, `SpeechVoice`).
package struct WaveFile: Sendable, Hashable {
    /// Why a file is not played.
    package enum Flaw: Error, Sendable, Hashable, CustomStringConvertible {
        case notWave
        /// Another coding than 16-bit PCM: format tag and bits per sample.
        case coding(tag: UInt16, bits: UInt16)
        /// No samples or no format in it, or a format with impossible numbers.
        case broken(String)
        case tooLarge(limit: Int)

        /// What is wrong with the file, without its name, which the caller adds.
        package var description: String {
            switch self {
            case .notWave: "not a WAV file"
            case .coding(let tag, let bits): "WAV coding \(tag) with \(bits) bits; 16-bit PCM is needed"
            case .broken(let what): "WAV file is broken: \(what)"
            case .tooLarge(let limit): "WAV file is larger than \(limit) bytes"
            }
        }
    }

    /// Frames per second.
    package let rate: Int
    /// Channels, interleaved in `samples`.
    package let channels: Int
    package let samples: [Int16]

    package init(rate: Int, channels: Int, samples: [Int16]) {
        self.rate = rate
        self.channels = channels
        self.samples = samples
    }

    /// Reads a file of at most `limit` bytes (32 MB is 6 minutes of 48 kHz mono). Throws `Flaw`
    /// or `SystemError`.
    package init(path: String, limit: Int = 32 << 20) throws {
        let file = try Descriptor(opening: path, flags: O_RDONLY)
        var bytes: [UInt8] = []
        while let more = try file.read(upTo: 64 << 10), !more.isEmpty {
            bytes += more
            if bytes.count > limit { throw Flaw.tooLarge(limit: limit) }
        }
        try self.init(bytes: bytes)
    }

    /// Reads the bytes of a file. A data chunk that claims more than there is ends with the file:
    /// programs that write into a pipe do not know its size beforehand.
    package init(bytes: [UInt8]) throws(Flaw) {
        let reader = ChunkReader(bytes: bytes)
        guard reader.isWave else { throw .notWave }
        var format: WaveFormat?
        var offset = 12  // after "RIFF", a size and "WAVE"
        while let chunk = reader.chunk(at: offset) {
            if chunk.name == "fmt " { format = try WaveFormat(reader, chunk.body) }
            if chunk.name == "data" {
                guard let format else { throw .broken("samples before their format") }
                rate = format.rate
                channels = format.channels
                samples = reader.samples(chunk.body, frameBytes: 2 * format.channels)
                return
            }
            offset = chunk.next
        }
        throw .broken("no samples")
    }

    /// One channel: the mean of all, in which nothing can overflow.
    package var mono: [Int16] {
        guard channels > 1 else { return samples }
        return stride(from: 0, to: samples.count - channels + 1, by: channels).map { start in
            Int16(samples[start..<start + channels].reduce(0) { $0 + Int($1) } / channels)
        }
    }
}

/// The `fmt ` chunk: coding at 0, channels at 2, frames per second at 4, bits per sample at 14.
private struct WaveFormat {
    let rate: Int
    let channels: Int

    init(_ reader: ChunkReader, _ body: Range<Int>) throws(WaveFile.Flaw) {
        guard body.count >= 16 else { throw .broken("format of \(body.count) bytes") }
        let tag = reader.bytes.uint16(body.lowerBound)
        let bits = reader.bytes.uint16(body.lowerBound + 14)
        // 0xFFFE is the extensible header, with its own tag in the first two bytes of the GUID.
        let isExtensible = tag == 0xFFFE && body.count >= 26
        guard (isExtensible ? reader.bytes.uint16(body.lowerBound + 24) : tag) == 1, bits == 16 else {
            throw .coding(tag: tag, bits: bits)
        }
        channels = Int(reader.bytes.uint16(body.lowerBound + 2))
        rate = Int(reader.bytes.uint32(body.lowerBound + 4))
        guard (1...16).contains(channels), (1000...384_000).contains(rate) else {
            throw .broken("\(channels) channels at \(rate) Hz")
        }
    }
}

/// Reads numbers (little-endian) and chunks; offsets must lie in the file, except that of `chunk`.
private struct ChunkReader {
    let bytes: [UInt8]

    var isWave: Bool { bytes.count >= 12 && name(0) == "RIFF" && name(8) == "WAVE" }

    /// A chunk's name, body as far as the file goes, and the offset after it (chunks begin
    /// at even offsets).
    func chunk(at offset: Int) -> (name: String, body: Range<Int>, next: Int)? {
        guard offset + 8 <= bytes.count else { return nil }
        let size = Int(bytes.uint32(offset + 4))
        let start = offset + 8
        return (name(offset), start..<min(bytes.count, start + size), start + size + size % 2)
    }

    func name(_ offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }

    /// The samples of a body's whole frames.
    func samples(_ body: Range<Int>, frameBytes: Int) -> [Int16] {
        let whole = body.count / frameBytes * frameBytes
        return stride(from: body.lowerBound, to: body.lowerBound + whole, by: 2).map { bytes.int16($0) }
    }
}
