// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Sound as FLAC, lossless, mono. A file that is cut anywhere plays up to its last whole frame. `Recorder`
/// drives it.
///
/// FLAC has no times and cannot show a gap: a gap ends the file, and its description
/// says when it began.
package struct FLACWriter: SegmentEncoder {
    /// Samples in a FLAC frame, about a quarter of a second at 16 kHz.
    static let blockSize = 4096

    /// Native FLAC, not in Ogg.
    package static let fileExtension = "flac"
    /// RFC 9639.
    package static let contentType = "audio/flac"
    /// `SegmentEncoder`: FLAC has no times, silence in its place would be invented sound.
    package let gapEndsFile = true
    /// PCM frames in whole FLAC frames; the rest waits in libFLAC until `finish`.
    package private(set) var stored = 0
    /// From the first sample to the last one of the last whole frame.
    package private(set) var span: (first: MonotonicTime, last: MonotonicTime)?
    private var start = MonotonicTime.zero
    private let rate: UInt32
    private var stream: FLACStream?
    /// PCM frames given to libFLAC.
    private var taken = 0
    private var last = MonotonicTime.zero
    /// The samples of one frame, as libFLAC takes them.
    private var block: [Int32] = []

    /// A writer for a mono source of 1 to 655 350 samples per second.
    package init(source: SourceDescription) { rate = UInt32(max(1, min(655_350, source.nominalRate.rounded()))) }

    /// The stream's header; its counts and MD5 are patched at the end.
    package mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError) {
        (stored, taken, span, start) = (0, 0, nil, context.start)
        let stream = try FLACStream(rate: rate, blockSize: UInt32(Self.blockSize), tags: FLACTags.tags(context))
        self.stream = stream
        out += stream.drain()
    }

    /// A FLAC frame is appended when 4096 samples are together. Throws what libFLAC refuses.
    package mutating func append(
        _ frame: SoundFrame, at time: MonotonicTime, to out: inout [UInt8]
    ) throws(FileError) {
        guard let stream else { return }
        // Once: an index into the frame's own storage copies the whole of it for each sample.
        let samples = frame.samples.span
        block.removeAll(keepingCapacity: true)
        for index in 0..<frame.sampleCount { block.append(Int32(samples[index])) }
        try stream.encode(block)
        taken += frame.sampleCount
        let bytes = stream.drain()
        last = time + duration(frame.sampleCount - 1)
        guard !bytes.isEmpty else { return }
        out += bytes
        stored = stream.samplesOut
        // What waits in libFLAC came after it.
        span = (start, last - duration(taken - stored))
    }

    /// Writes nothing: for a gap the recorder ends the file, but not in the file's first minute; then the gap is in
    /// the description alone.
    package mutating func appendGap(_ gap: RecordingGap, to out: inout [UInt8]) throws(FileError) -> Int { 0 }

    /// The last, shorter FLAC frame; gives up nothing. The patches put length and MD5
    /// into the header.
    package mutating func finish(
        to out: inout [UInt8]
    ) throws(FileError) -> (discarded: Int, patches: [SegmentPatch]) {
        guard let stream else { return (0, []) }
        self.stream = nil
        let patches = try stream.finish()
        out += stream.drain()
        stored = taken
        if taken > 0 { span = (start, last) }
        return (0, patches)
    }

    private func duration(_ samples: Int) -> Duration { .nanoseconds(Int64(Double(samples) * 1e9 / Double(rate))) }
}
