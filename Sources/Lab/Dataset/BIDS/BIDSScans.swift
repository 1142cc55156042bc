// SPDX-License-Identifier: Apache-2.0
import Base

/// The table `…_scans.tsv` of a session: `BIDSExport` adds each file that it has written, with when that began.
struct BIDSScans {
    private(set) var table = BIDSTable([
        .init("filename", "The file, from the session's folder."),
        .init(
            "acq_time",
            "When its first sample was taken, UTC; of events what onsets count from; n/a while the clock was unknown."),
        .init("recording", "The recording that it is made of."),
        .init("samples_stored", "Samples, or bytes of position, in the recording."),
        .init("samples_lost", "Samples that are missing in it and around it, for all reasons."),
        .init("clock_error", "How far off the times can be, one side.", units: "s"),
    ])

    /// `name` is the path from the session's folder; `time` nil = the clock was unknown; `recording` nil = the
    /// events file, which is made of no recording.
    mutating func add(_ name: String, _ time: Instant?, _ recording: StudyRecording?) {
        let description = recording?.description
        table.add([
            name, time?.rfc3339Zulu(fractionDigits: 6), recording?.name, description.map { "\($0.samplesStored)" },
            recording.map { "\($0.lost)" }, BIDSCell.number(description?.clockError, 6),
        ])
    }
}
