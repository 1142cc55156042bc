// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// The ring that a recorder empties. `MeasuringPlan` names it for each measure.
package enum RecorderInput: Sendable {
    /// Motion, slow channels, button events.
    case vectors(FrameRing<VectorFrame>)
    /// Mono sound.
    case sound(FrameRing<SoundFrame>)
    /// A serial line.
    case bytes(FrameRing<ByteFrame>)
}

extension RecorderInput {
    /// A second ring for the same frames, as large, and empty.
    package func emptyCopy() -> RecorderInput {
        switch self {
        case .vectors(let ring):
            .vectors(FrameRing(capacity: ring.capacity, repeating: VectorFrame(values: .zero, count: 0)))
        case .sound(let ring): .sound(FrameRing(capacity: ring.capacity, repeating: SoundFrame(time: .zero)))
        case .bytes(let ring): .bytes(FrameRing(capacity: ring.capacity, repeating: ByteFrame(time: .zero)))
        }
    }

    /// How full the ring is, 0 to 1.
    package var fill: Double {
        switch self {
        case .vectors(let ring): Double(ring.count) / Double(ring.capacity)
        case .sound(let ring): Double(ring.count) / Double(ring.capacity)
        case .bytes(let ring): Double(ring.count) / Double(ring.capacity)
        }
    }

    func ring<Frame: BitwiseCopyable & Sendable>(of kind: Frame.Type) -> FrameRing<Frame>? {
        switch self {
        case .vectors(let ring): ring as? FrameRing<Frame>
        case .sound(let ring): ring as? FrameRing<Frame>
        case .bytes(let ring): ring as? FrameRing<Frame>
        }
    }
}

extension MeasureConfiguration {
    /// The recorder of this measure. Throws where the format cannot hold what the ring brings.
    package func recorder(
        of input: RecorderInput, source: SourceDescription, origin: RecordingOrigin, folder: RecordingFolder
    ) throws(FileError) -> any SampleRecorder {
        if let kind = folder.formats[format.rawValue],
            let recorder = try kind.recorder(of: input, source, self, origin, folder)
        {
            return recorder
        }
        let known = folder.formats.names(for: source.kind).joined(separator: " or ")
        throw .format(path: identifier, problem: "\(source.kind) cannot be recorded as \(format); use \(known)")
    }
}
