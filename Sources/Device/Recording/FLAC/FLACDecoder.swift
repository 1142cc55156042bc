// SPDX-License-Identifier: Apache-2.0
import Base
import CFLAC
import SystemKit

/// One libFLAC decoder over a file: `run` once, then read what it has found. One thread at a time.
/// `FLACReader`, exports and plots make one.
package final class FLACDecoder {
    package struct Format: Sendable, Hashable {
        /// Samples per second.
        package var rate: Int
        /// 1 to 8.
        package var channels: Int
        /// Of a sample, 4 to 32.
        package var bits: Int

        package init(rate: Int = 0, channels: Int = 0, bits: Int = 0) {
            self.rate = rate
            self.channels = channels
            self.bits = bits
        }

        fileprivate var text: String { "\(rate) per second, \(Plural.of(channels, "channel")), \(bits) bits" }
    }

    /// Takes the interleaved samples of one FLAC frame as they are; where frames before it are
    /// damaged, silence in their place first.
    package typealias Sink = (_ samples: [Int32], _ format: Format) throws(FileError) -> Void

    /// Samples of a channel from the beginning, damaged ones among them: sound keeps its time.
    package private(set) var samples = 0
    /// Those of damaged frames.
    package private(set) var missing = 0
    /// Up to the end of the last whole frame: bytes of the file, to which a torn one is truncated, samples of a
    /// channel, and how many of those are missing.
    package private(set) var whole = (bytes: 0, samples: 0, missing: 0)
    package private(set) var format = Format()
    /// The number that the file gives its first sample: not 0 where a stream was cut out of another.
    private var origin: UInt64?
    /// What the frames and the stream's own header do not agree on, in words.
    package private(set) var contradictions: [String] = []
    private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
    private let file: File
    /// Of the next read.
    private var offset = 0
    /// The file ends within a frame or holds damage.
    package private(set) var isDamaged = false
    /// From an error until the first frame with sound: libFLAC gives silence for a frame with a wrong checksum,
    /// and since 1.4 for frames that it missed.
    private var isAfterDamage = false
    private var failure: FileError?
    /// Nil where the samples are only counted.
    private var output: FLACOutput?

    /// The samples go to the sink, frame by frame. `limit` is the most samples of all channels that it takes.
    package init(_ file: File, limit: Int = .max, sink: Sink? = nil) throws(FileError) {
        guard let decoder = FLAC__stream_decoder_new() else {
            throw .library(name: "libFLAC", problem: "cannot make a decoder: out of memory")
        }
        self.decoder = decoder
        self.file = file
        output = sink.map { FLACOutput(limit: limit, sink: $0) }
        FLAC__stream_decoder_set_md5_checking(decoder, 1)
        // Without tell there is no decode position.
        let status = FLAC__stream_decoder_init_stream(
            decoder, Self.read, nil, Self.tell, nil, nil, Self.write, nil, Self.error,
            Unmanaged.passUnretained(self).toOpaque())
        guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
            throw .library(name: "libFLAC", problem: "cannot decode \(file.path) (status \(status.rawValue))")
        }
    }

    deinit { FLAC__stream_decoder_delete(decoder) }

    /// Decodes to the end of the file; damage does not end it. Throws for what is no FLAC or too long.
    package func run() throws(FileError) {
        guard try file.read(4, at: 0) == Array("fLaC".utf8),
            FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0
        else { throw .format(path: file.path, problem: "is not a FLAC file") }
        whole.bytes = position
        while output?.isTooLong != true {
            let before = samples
            let hasProcessed = FLAC__stream_decoder_process_single(decoder) != 0
            if samples > before, !isAfterDamage { whole = (position, samples, missing) }
            let state = FLAC__stream_decoder_get_state(decoder)
            if !hasProcessed || state == FLAC__STREAM_DECODER_END_OF_STREAM || state == FLAC__STREAM_DECODER_ABORTED {
                break
            }
        }
        if failure == nil { output?.finish(at: samples, format) }
        if let failure = failure ?? output?.failure { throw failure }
        if let output, output.isTooLong {
            throw .format(path: file.path, problem: "has more than \(output.limit) samples")
        }
        if try whole.bytes < file.size() { isDamaged = true }
        try compareWithHeader()
    }

    private var position: Int {
        var position: UInt64 = 0
        return FLAC__stream_decoder_get_decode_position(decoder, &position) != 0 ? Int(position) : 0
    }

    /// The STREAMINFO has the samples' MD5, their count and their form (RFC 9639, 8.2); a count or
    /// an MD5 of 0 means not known.
    private func compareWithHeader() throws(FileError) {
        let info = try file.read(26, at: 0)
        guard info.count == 26, info[4] & 0x7F == 0 else { return }
        func bits(_ from: Int, _ count: Int) -> Int {
            (from..<from + count).reduce(0) { $0 << 1 | Int(info[$1 / 8] >> UInt8(7 - $1 % 8) & 1) }
        }
        // STREAMINFO begins at byte 8; in it 20 bits of rate from byte 10, and 36 of the count from byte 13.5 on.
        let total = bits(21 * 8 + 4, 36)
        if total != 0, total != samples {
            contradictions.append("it holds \(samples) samples, but its header says \(total)")
        }
        let header = [
            ("rate", bits(18 * 8, 20), format.rate), ("number of channels", bits(20 * 8 + 4, 3) + 1, format.channels),
            ("width", bits(20 * 8 + 7, 5) + 1, format.bits),
        ]
        for (name, said, found) in header where samples > 0 && said != found {
            contradictions.append("its header's \(name) differs from its frames: \(said) instead of \(found)")
        }
        if FLAC__stream_decoder_finish(decoder) == 0 { contradictions.append("its MD5 does not match its samples") }
    }

    /// Takes a decoded frame; false ends the decoding.
    private func receive(_ frame: FLAC__Frame, _ buffer: UnsafePointer<UnsafePointer<FLAC__int32>?>) -> Bool {
        let count = Int(frame.header.blocksize)
        let found = Format(
            rate: Int(frame.header.sample_rate), channels: Int(frame.header.channels),
            bits: Int(frame.header.bits_per_sample))
        // Until a frame is whole: within damage it may be a header by chance.
        if format.channels == 0 || (isAfterDamage && samples == missing) { format = found }
        if found != format, !isAfterDamage, !acceptChange(to: found) { return false }
        // Sound that cannot be put beside the rest; within damage also a header by chance.
        guard found.channels == format.channels else { return true }
        // Where the frame belongs, and what is missing before it.
        let number = frame.header.number.sample_number
        if let origin, number != origin &+ UInt64(samples), contradictions.isEmpty {
            contradictions.append("a frame is missing, repeated or out of order at sample \(samples)")
        }
        let lost = countLost(before: number)
        samples += lost + count
        isAfterDamage = isAfterDamage && isSilent(buffer, count)
        missing += lost + (isAfterDamage ? count : 0)
        return output?.add(buffer, count, endingAt: samples, hasWholeFrame: samples > missing, format) ?? true
    }

    /// Notes that the frames from here on have another format. False where samples are wanted, which must have one.
    private func acceptChange(to found: Format) -> Bool {
        let change = "its frames change from \(format.text) to \(found.text)"
        if !contradictions.contains(change), contradictions.count < 10 { contradictions.append(change) }
        guard output != nil else { return true }
        failure = FileError(
            path: file.path, message: "\(change) at sample \(samples)",
            remedy: "split it there with another program, such as ffmpeg")
        return false
    }

    private func isSilent(_ buffer: UnsafePointer<UnsafePointer<FLAC__int32>?>, _ count: Int) -> Bool {
        (0..<format.channels).allSatisfy { channel in (0..<count).allSatisfy { (buffer[channel]?[$0] ?? 0) == 0 } }
    }

    /// How many samples are missing before the sample of that number; the first number becomes `origin`. libFLAC
    /// takes the number from the frame's header: where more than ten minutes seem to be missing, the number
    /// itself is damaged.
    private func countLost(before number: UInt64) -> Int {
        guard let origin else {
            self.origin = number
            return 0
        }
        let place = number &- origin
        guard place > UInt64(samples), place - UInt64(samples) <= UInt64(600 * max(1, format.rate)) else { return 0 }
        return Int(place) - samples
    }

    private static func this(_ client: UnsafeMutableRawPointer?) -> FLACDecoder? {
        client.map { Unmanaged<FLACDecoder>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let read: FLAC__StreamDecoderReadCallback = { _, buffer, size, client in
        guard let decoder = this(client), let buffer, let wanted = size?.pointee else {
            return FLAC__STREAM_DECODER_READ_STATUS_ABORT
        }
        do throws(FileError) {
            let bytes = try decoder.file.read(min(wanted, 65_536), at: decoder.offset)
            buffer.update(from: bytes, count: bytes.count)
            size?.pointee = bytes.count
            decoder.offset += bytes.count
            return bytes.isEmpty
                ? FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM : FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
        } catch {
            decoder.failure = error
            return FLAC__STREAM_DECODER_READ_STATUS_ABORT
        }
    }

    private static let tell: FLAC__StreamDecoderTellCallback = { _, offset, client in
        offset?.pointee = UInt64(this(client)?.offset ?? 0)
        return FLAC__STREAM_DECODER_TELL_STATUS_OK
    }

    private static let write: FLAC__StreamDecoderWriteCallback = { _, frame, buffer, client in
        guard let decoder = this(client), let frame, let buffer, decoder.receive(frame.pointee, buffer) else {
            return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
        }
        return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
    }

    private static let error: FLAC__StreamDecoderErrorCallback = { _, _, client in
        guard let decoder = this(client) else { return }
        (decoder.isDamaged, decoder.isAfterDamage) = (true, true)
    }
}
