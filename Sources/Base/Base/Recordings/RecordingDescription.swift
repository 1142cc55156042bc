// SPDX-License-Identifier: Apache-2.0

/// What a recording is: the JSON beside its file, modelled on SageResearch's file result. The recorder writes
/// it; the agent delivers it with the file, and the lab and `studyd-tools` read it.
package struct RecordingDescription: Sendable, Hashable, Decodable {
    package enum State: String, Sendable, Codable {
        /// It is being written, or a power cut ended it.
        case open
        /// It is complete but waits for its boot's first anchor.
        case finished
        /// It never changes again.
        case sealed
    }

    /// What is known of wall time.
    package enum ClockState: String, Sendable, Codable {
        /// Times are right, to the anchors' uncertainty.
        case anchored
        /// No anchor yet: times in the file count from the start of the boot.
        case pending
        /// The boot ended without an anchor, or the recording is a spoken answer, which does not wait for an anchor:
        /// only its uptimes mean something.
        case unknown
    }

    /// The version of docs/recording.schema.json that it is written by; absent in descriptions
    /// before there was one.
    package var schemaVersion: Int? = 1
    /// The program that recorded: `studyd 0.9.0`.
    package var software: String?
    /// Always `file`.
    package var type = "file"
    /// The measure's identifier in the study.
    package var identifier = ""
    /// The run it was recorded for; absent for what is recorded all the time.
    package var task: TaskNote?
    /// The recording number, unique on the device for ever.
    package var number = 0
    /// `accelerometer`, `sound`, ... (`MeasureKind`).
    package var kind = ""
    /// `cwa`, `csv`, ... (`RecordingFormat`).
    package var format = ""
    package var state: State = .open
    /// RFC 3339 at the offset of the file; absent while the clock is unknown.
    package var startDate: String?
    /// RFC 3339; absent while the clock is unknown.
    package var endDate: String?
    /// CLOCK_MONOTONIC of the first sample, in seconds.
    package var startUptime = 0.0
    /// CLOCK_MONOTONIC, in seconds, of the first sample that was taken for the file, where that sample was not stored
    /// (filters had to settle, or a silence came before the first whole unit). The samples from then to `startUptime`
    /// are in `samplesLost`. nil where the file holds its first sample.
    package var begunUptime: Double?
    /// CLOCK_MONOTONIC of the last sample, in seconds.
    package var endUptime = 0.0
    /// The file's name, in the folder of this description.
    package var relativePath: String
    package var contentType: String
    /// `gzip` where the file is compressed.
    package var contentEncoding: String?
    /// How the file is encrypted; absent where it is in the clear.
    package var age: AgeNote?
    package var study = ""
    /// The participant's code; nil where the study has none.
    package var participant: String?
    /// A stable number of the device that recorded.
    package var deviceNumber: UInt32 = 0
    /// Where on the body it was worn.
    package var bodyLocation: String?
    /// The chip or device that measured.
    package var device = ""
    /// Where that is: `i2c-1 0x18`.
    package var location = ""
    /// The file's channels, in the order of the file.
    package var channels: [ChannelNote] = []
    /// Samples per second of the file that were asked for.
    package var nominalRate = 0.0
    /// What the chip gave, where the file's samples were computed from it at another rate.
    package var resampled: ResamplingNote?
    /// What the format's fields of temperature, battery and light hold; absent for
    /// formats without them.
    package var fields: FieldNotes?
    /// Full scale in the channels' unit, 0 where there is none.
    package var fullScale = 0.0
    /// Rows that turn a sample, which is in the chip's axes, into the device's; absent where the
    /// board file does not say.
    package var mountingMatrix: [[Double]]?
    /// dB to add to dBFS for dB re 20 µPa; nil when the microphone was not calibrated.
    package var calibration: Double?
    /// Samples per second of the file by `ClockRegression`; absent where samples have no rate.
    package var measuredRate: Double?
    /// The largest error of `measuredRate` that is expected, one side, per true second; it includes the error of
    /// CLOCK_MONOTONIC.
    package var measuredRateError: Double?
    /// The largest expected error of a sample's uptime, one side, in seconds, by CLOCK_MONOTONIC.
    /// The error of wall time adds `clockError`. Absent where it is unknown, as in a file that a
    /// power cut ended.
    package var timeError: Double?
    /// `timeError` without the first minute of a source and the minute after each gap; absent where
    /// the file holds nothing else.
    package var steadyTimeError: Double?
    /// The largest expected error of the file's UTC against the truth, one side, in seconds, without `timeError`:
    /// `WallClockError` computes it from all anchors of the boot. Absent while the file is open and where the clock
    /// is unknown.
    package var clockError: Double?
    /// The boot that the uptimes belong to.
    package var bootID = ""
    /// The participant's zone, `Europe/Berlin`.
    package var zone = ""
    /// `+01:00`: the offset of the wall times in the file, in force when it began.
    package var offset: String?
    package var clock: ClockState = .pending
    /// Pairs of uptime and UTC of the file's boot. The first is the one that the file's wall times follow.
    package var anchors: [AnchorNote] = []
    /// How often the file was made durable, in seconds.
    package var syncInterval = 0.0
    /// What `samplesStored` and `samplesLost` count.
    package var countedUnit: CountedUnit
    /// How many samples are in the file's whole units (blocks, lines, frames).
    package var samplesStored = 0
    /// Missing samples at the file's rate, by reason (`LossReason`): in its gaps, between `begunUptime` and its first
    /// sample, and directly after its last one where a gap ended the file.
    package var samplesLost: [String: Int] = [:]
    /// Where samples are missing inside the file.
    package var gaps: [GapNote] = []
    /// How many gaps there are beyond the first `gapLimit`, which are listed.
    package var gapsOmitted = 0
    /// True when a power cut or a crash ended the file. `samplesLost.powerCut` is then the most
    /// samples that can be missing.
    package var isRecovered = false
    /// True where a power cut or a crash ended a file of bytes or events: how many were in memory is unknown.
    /// Else absent.
    package var isLossUnknown: Bool?
    /// Bytes of a torn end that were cut off.
    package var bytesCut = 0
    /// Bytes of the file, 0 until sealed.
    package var bytes = 0
    /// Of the file, 64 hexadecimal digits; empty until sealed.
    package var sha256 = ""
    /// SHA-256 of the description itself with 64 zeros in this place (`DescriptionSeal`).
    package var seal: String?

    /// Describes a file of which only the name is known so far; everything else has its default.
    package init(fileName: String, contentType: String, countedUnit: CountedUnit) {
        relativePath = fileName
        self.contentType = contentType
        self.countedUnit = countedUnit
    }
}
