// SPDX-License-Identifier: Apache-2.0
import Base

/// A sealed recording on disk: a row `StudyEvent.recordingSealed`, made by `RecordingRegistration`.
package struct RecordingRecord: LoggedRecord {
    /// The recording number, as in the file's name; unique on the device.
    package var id: String
    package var itemClass: ItemClass
    /// The raw value of what was measured.
    package var measure: String
    /// Relative to the recordings directory.
    package var path: String
    /// The description beside it, relative to the recordings directory.
    package var descriptionPath: String
    /// SHA-256 of the file, in hexadecimal.
    package var sha256: String
    /// Of the data file alone, as it lies on the disk (text compressed).
    package var bytes: Int64
    /// Wall clock of the first sample; nil where the boot never had a trusted clock.
    private var start: Instant?
    /// Wall clock of the last sample; nil where `start` is.
    package var end: Instant?
    package var stored: Int64
    /// Samples lost, by reason.
    package var lost: [String: Int64]
    /// The boot of `from` and `to`; absent in rows of older versions.
    package var boot: String?
    /// CLOCK_MONOTONIC of the first sample in it or lost by it.
    package var from: MonotonicTime?
    /// CLOCK_MONOTONIC of the last sample.
    package var to: MonotonicTime?
    /// Samples per second; absent for bytes and events.
    package var rate: Double?
    /// True where it was recorded beside a measure, of the same samples: for a task, or
    /// a spoken answer.
    package var isExtra: Bool?

    package init(
        id: String, itemClass: ItemClass, measure: String, path: String, descriptionPath: String, sha256: String,
        bytes: Int64, start: Instant?, end: Instant?, stored: Int64, lost: [String: Int64], boot: String? = nil,
        from: MonotonicTime? = nil, to: MonotonicTime? = nil, rate: Double? = nil, isExtra: Bool? = nil
    ) {
        self.boot = boot
        self.from = from
        self.to = to
        self.rate = rate
        self.isExtra = isExtra
        self.id = id
        self.itemClass = itemClass
        self.measure = measure
        self.path = path
        self.descriptionPath = descriptionPath
        self.sha256 = sha256
        self.bytes = bytes
        self.start = start
        self.end = end
        self.stored = stored
        self.lost = lost
    }
}
