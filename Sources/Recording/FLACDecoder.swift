// SPDX-License-Identifier: Apache-2.0
import CFLAC

/// One libFLAC decoder over a file. One thread at a time.
final class FLACDecoder {
    /// Takes the interleaved samples of one FLAC frame, with the file's rate and channels.
    typealias Sink = (_ samples: [Int16], _ rate: Int, _ channels: Int) throws(RecordingError) -> Void

    private(set) var frames = 0
    private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
    private let file: DiskFile
    private let limit: Int
    private let keepsSamples: Bool
    private let sink: Sink?
    private var offset = 0
    private var isDamaged = false
    private var isTooLong = false
    private var failure: RecordingError?
    private var rate = 0
    private var channels = 0
    private var samples: [Int16] = []

    /// With a sink the samples go there, frame by frame, and are not kept.
    init(_ file: DiskFile, limit: Int, keepsSamples: Bool, sink: Sink? = nil) throws(RecordingError) {
        guard let decoder = FLAC__stream_decoder_new() else {
            throw .library(name: "libFLAC", problem: "cannot make a decoder: out of memory")
        }
        self.decoder = decoder
        self.file = file
        self.limit = limit
        self.keepsSamples = keepsSamples || sink != nil
        self.sink = sink
        // Without tell there is no decode position.
        let status = FLAC__stream_decoder_init_stream(
            decoder, Self.read, nil, Self.tell, nil, nil, Self.write, nil, Self.error,
            Unmanaged.passUnretained(self).toOpaque())
        guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
            throw .library(name: "libFLAC", problem: "cannot decode \(file.path) (status \(status.rawValue))")
        }
    }

    deinit { FLAC__stream_decoder_delete(decoder) }

    func run() throws(RecordingError) -> FLACReader.Sound {
        guard try file.read(4, at: 0) == Array("fLaC".utf8),
            FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0
        else { throw .format(path: file.path, problem: "is no FLAC file") }
        var whole = position
        while !isTooLong {
            let before = frames
            let goesOn = FLAC__stream_decoder_process_single(decoder) != 0
            if frames > before, !isDamaged { whole = position }
            let state = FLAC__stream_decoder_get_state(decoder)
            if !goesOn || state == FLAC__STREAM_DECODER_END_OF_STREAM || state == FLAC__STREAM_DECODER_ABORTED { break }
        }
        if let failure { throw failure }
        if isTooLong { throw .format(path: file.path, problem: "is longer than the \(limit) samples allowed here") }
        let isCut = try whole < file.size()
        return FLACReader.Sound(
            rate: rate, channels: channels, samples: samples, wholeBytes: whole, isDamaged: isDamaged || isCut)
    }

    private var position: Int {
        var position: UInt64 = 0
        return FLAC__stream_decoder_get_decode_position(decoder, &position) != 0 ? Int(position) : 0
    }

    private func take(_ frame: FLAC__Frame, _ buffer: UnsafePointer<UnsafePointer<FLAC__int32>?>) -> Bool {
        let count = Int(frame.header.blocksize)
        channels = min(2, Int(frame.header.channels))
        rate = Int(frame.header.sample_rate)
        frames += count
        guard keepsSamples else { return true }
        isTooLong = samples.count + count * channels > limit
        guard !isTooLong else { return false }
        let shift = Int32(frame.header.bits_per_sample) - 16
        for index in 0..<count {
            for channel in 0..<channels {
                let value = buffer[channel]?[index] ?? 0
                samples.append(Int16(truncatingIfNeeded: shift >= 0 ? value >> shift : value << -shift))
            }
        }
        return pass()
    }

    /// Hands the samples to the sink; false when it failed.
    private func pass() -> Bool {
        guard let sink else { return true }
        defer { samples.removeAll(keepingCapacity: true) }
        do throws(RecordingError) {
            try sink(samples, rate, channels)
            return true
        } catch {
            failure = error
            return false
        }
    }

    private static func this(_ client: UnsafeMutableRawPointer?) -> FLACDecoder? {
        client.map { Unmanaged<FLACDecoder>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let read: FLAC__StreamDecoderReadCallback = { _, buffer, size, client in
        guard let decoder = this(client), let buffer, let wanted = size?.pointee else {
            return FLAC__STREAM_DECODER_READ_STATUS_ABORT
        }
        do throws(RecordingError) {
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
        guard let decoder = this(client), let frame, let buffer, decoder.take(frame.pointee, buffer) else {
            return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
        }
        return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
    }

    private static let error: FLAC__StreamDecoderErrorCallback = { _, _, client in this(client)?.isDamaged = true }
}
