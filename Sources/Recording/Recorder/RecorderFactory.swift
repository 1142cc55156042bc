// SPDX-License-Identifier: Apache-2.0
import Samples

/// The ring that a recorder empties.
public enum RecorderInput: Sendable {
    /// Motion, slow channels, button events.
    case vectors(FrameRing<VectorFrame>)
    /// Mono sound.
    case sound(FrameRing<SoundFrame>)
    /// A serial line.
    case bytes(FrameRing<ByteFrame>)
}

extension RecorderInput {
    /// A ring of its own for the same frames, as large, with nothing in it.
    public func another() -> RecorderInput {
        switch self {
        case .vectors(let ring):
            .vectors(FrameRing(capacity: ring.capacity, repeating: VectorFrame(values: .zero, count: 0)))
        case .sound(let ring): .sound(FrameRing(capacity: ring.capacity, repeating: SoundFrame(time: .zero)))
        case .bytes(let ring): .bytes(FrameRing(capacity: ring.capacity, repeating: ByteFrame(time: .zero)))
        }
    }

    /// The ring, where it is one of such frames.
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
    public func recorder(
        of input: RecorderInput, source: SourceDescription, origin: RecordingOrigin, folder: RecordingFolder
    ) throws(RecordingError) -> any SampleRecorder {
        func make<Encoder: SegmentEncoder>(
            _ ring: FrameRing<Encoder.Frame>, _ encoder: Encoder
        ) -> any SampleRecorder {
            Recorder(ring: ring, encoder: encoder, source: source, measure: self, origin: origin, folder: folder)
        }
        switch (format, input) {
        case (.cwa, .vectors(let ring)): return make(ring, try CWAWriter(source: source))
        case (.csv, .vectors(let ring)): return make(ring, VectorCSVWriter(source: source))
        case (.events, .vectors(let ring)): return make(ring, EventCSVWriter(source: source))
        case (.levels, .sound(let ring)):
            return make(ring, LevelCSVWriter(source: source, calibration: calibration, thirdOctaves: thirdOctaves))
        case (.flac, .sound(let ring)): return make(ring, FLACWriter(source: source))
        case (.nmea, .bytes(let ring)): return make(ring, NMEAWriter())
        default:
            throw .format(
                path: identifier,
                problem:
                    "\(source.kind) cannot be kept as \(format); use cwa or csv for motion, levels or flac for sound, "
                    + "nmea for position, events for buttons")
        }
    }
}

extension RecordingFormat {
    /// The format a measure is kept in when the study says nothing: for sound its levels, never the sound itself.
    public static func standard(for kind: MeasureKind) -> RecordingFormat {
        switch kind {
        case .accelerometer: .cwa
        case .gyroscope, .magnetometer: .csv
        case .sound: .levels
        case .position: .nmea
        case .buttons: .events
        }
    }
}
