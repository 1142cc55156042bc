// SPDX-License-Identifier: Apache-2.0
import Base

/// Members of the JSON beside a table that name the recording it was made from; `BIDSMotion` and `BIDSSeries`
/// add them to theirs.
enum BIDSSource {
    static func members(_ source: StudyRecording, _ description: RecordingDescription) -> [JSONText.Member] {
        let lost = description.samplesLost.sorted { $0.key < $1.key }
        let json: JSONText = .object([
            "SourceRecording": .string(source.name), "SourceSHA256": .string(source.sha256),
            "RecordingNumber": .integer(Int64(description.number)), "Zone": .string(description.zone),
            "SamplesStored": .integer(Int64(description.samplesStored)),
            "SamplesLost": .object(lost.map { .init($0.key, .integer(Int64($0.value))) }),
            "Gaps": .integer(Int64(description.gaps.count + description.gapsOmitted)),
            // Seconds: of samples by the monotonic clock, and of that clock's UTC.
            "TimeError": description.timeError.map { .decimal($0) },
            "ClockError": description.clockError.map { .decimal($0) },
            // Another version changes the JSON, so that the table is written again (`BIDSPlan.isKept`).
            "ExportedBy": .string("study-receiver \(ProgramVersion.text)"),
        ])
        return json.members
    }
}
