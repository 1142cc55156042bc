// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// From when to when a sensor recorded a file. Exports and features refuse files of two sensors at one time by
/// it.
struct SensorSpan {
    private let file: RecordedFile
    private let deviceNumber: UInt32
    private let location: String
    private let start: Instant
    private let end: Instant

    /// Nil where that is unknown.
    private init?(_ file: RecordedFile) {
        guard let description = file.description, let start = description.startDate.flatMap(Instant.parsed),
            let end = description.endDate.flatMap(Instant.parsed)
        else { return nil }
        self.file = file
        (deviceNumber, location) = (description.deviceNumber, description.location)
        (self.start, self.end) = (start, end)
    }

    /// Throws where two sensors measured at the same time: joined they would look like one. Sensors that
    /// measured one after the other, such as a replacement, may be joined.
    static func refuseTwoSensors(_ files: [RecordedFile], remedy: String) throws(FileError) {
        var latest: SensorSpan?
        for span in files.compactMap(SensorSpan.init).sorted(by: { $0.start < $1.start }) {
            if let latest, latest.end > span.start, !latest.isOfSameSensor(as: span) {
                throw span.file.refusal(
                    "is of \(span.name), but \(latest.file.file.path), of the same time, is of \(latest.name); "
                        + remedy)
            }
            if latest.map({ $0.end < span.end }) ?? true { latest = span }
        }
    }

    private func isOfSameSensor(as other: SensorSpan) -> Bool {
        (deviceNumber, location) == (other.deviceNumber, other.location)
    }

    private var name: String { "the sensor \(location) of device \(deviceNumber)" }
}
