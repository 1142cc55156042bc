// SPDX-License-Identifier: Apache-2.0
import Base
import Device

extension SealedRecording {
    /// A sealed spoken answer of that number and name.
    static func memo(_ number: Int, _ id: String) -> SealedRecording {
        let source = SourceDescription(
            kind: .sound, device: "microphone", location: "mic",
            channels: [Channel(name: "sound", unit: .pcm, scale: 1)], nominalRate: 16_000, fullScale: 1)
        let context = SegmentContext(
            number: number, source: source, measure: MeasureConfiguration(identifier: "voice:\(id)", format: .flac),
            origin: RecordingOrigin(study: "S", participant: nil, deviceID: 1, bootID: "b", zone: .utc), start: .zero,
            anchor: nil)
        return SealedRecording(
            number: number, path: "\(number).flac", descriptionPath: "\(number).json",
            description: RecordingDescription(
                context, fileName: "\(number).flac", contentType: "audio/flac", countedUnit: .samples))
    }
}
