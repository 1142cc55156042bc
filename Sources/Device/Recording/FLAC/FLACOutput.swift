// SPDX-License-Identifier: Apache-2.0
import CFLAC
import SystemKit

/// Passes the decoded samples of a file to a sink in order, with silence where frames are damaged.
/// `FLACDecoder` has one.
struct FLACOutput {
    /// The most samples of all channels that may be passed on.
    let limit: Int
    /// Those of one call of the sink, interleaved.
    private var samples: [Int32] = []
    private(set) var isTooLong = false
    /// Of the sink.
    private(set) var failure: FileError?
    private let sink: FLACDecoder.Sink
    /// Samples of a channel that were passed on: none before a frame is whole, which tells their format.
    private var written = 0

    init(limit: Int, sink: @escaping FLACDecoder.Sink) { (self.limit, self.sink) = (limit, sink) }

    /// Takes a frame of `count` samples of a channel that ends at sample `end` of the stream, and silence for what is
    /// missing before it. False when the decoding must end.
    mutating func add(
        _ frame: UnsafePointer<UnsafePointer<FLAC__int32>?>, _ count: Int, endingAt end: Int, hasWholeFrame: Bool,
        _ format: FLACDecoder.Format
    ) -> Bool {
        isTooLong = end * format.channels > limit
        guard !isTooLong else { return false }
        guard hasWholeFrame else { return true }
        guard addSilence(end - count - written, format) else { return false }
        written = end
        for index in 0..<count {
            for channel in 0..<format.channels { samples.append(frame[channel]?[index] ?? 0) }
        }
        return passToSink(format)
    }

    /// Silence for what is missing before the end of the stream.
    mutating func finish(at end: Int, _ format: FLACDecoder.Format) {
        if failure == nil, !isTooLong { _ = addSilence(end - written, format) }
    }

    /// In pieces, so that it needs little memory; false when the sink failed.
    private mutating func addSilence(_ count: Int, _ format: FLACDecoder.Format) -> Bool {
        var left = count
        while left > 0 {
            let piece = min(left, 65_536)
            samples += repeatElement(0, count: piece * format.channels)
            guard passToSink(format) else { return false }
            left -= piece
        }
        return true
    }

    /// Hands the samples to the sink; false when it failed.
    private mutating func passToSink(_ format: FLACDecoder.Format) -> Bool {
        defer { samples.removeAll(keepingCapacity: true) }
        do throws(FileError) {
            try sink(samples, format)
            return true
        } catch {
            failure = error
            return false
        }
    }
}
