// SPDX-License-Identifier: Apache-2.0
import Base

/// How one measure of a study is recorded: in which form, how long a file grows, what is said of it.
/// `MeasuringPlan` makes it from `studyd.toml`, for one recorder.
package struct MeasureConfiguration: Sendable, Hashable {
    package var identifier: String
    package var format: RecordingFormat
    /// How long a file grows before the next one is begun.
    package var rotation: Duration
    /// How often what was recorded is made durable: the most a power cut takes, beyond an
    /// unfinished block.
    package var syncInterval: Duration
    /// A gap of this length ends the file, and the next sample begins another: other tools close
    /// gaps or fill them.
    package var longestGap: Duration
    /// Where on the body the device is worn, as the study calls it.
    package var bodyLocation: String?
    /// dB to add to dBFS for dB re 20 µPa; nil when the microphone was not calibrated, and levels
    /// are then in dBFS.
    package var calibration: Double?
    /// How often levels in one-third-octave bands are written, in whole seconds from 1 to
    /// 10; nil = never.
    package var thirdOctaves: Int?
    /// The run it is recorded for; nil for what is recorded all the time.
    package var task: RecordingDescription.TaskNote?
    /// The device itself has to read the file again, for the study's own server: where files are encrypted, it
    /// keeps a key for this one.
    package var isReadAgain = false

    package init(
        identifier: String, format: RecordingFormat, rotation: Duration = .seconds(86_400),
        syncInterval: Duration = .seconds(10), bodyLocation: String? = nil, calibration: Double? = nil,
        thirdOctaves: Int? = nil, task: RecordingDescription.TaskNote? = nil, longestGap: Duration = .seconds(60)
    ) {
        self.identifier = identifier
        self.format = format
        self.rotation = rotation
        self.syncInterval = syncInterval
        self.longestGap = longestGap
        self.bodyLocation = bodyLocation
        self.calibration = calibration
        self.thirdOctaves = thirdOctaves
        self.task = task
    }
}
