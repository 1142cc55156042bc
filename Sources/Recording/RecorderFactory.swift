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
