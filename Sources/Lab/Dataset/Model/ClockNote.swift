// SPDX-License-Identifier: Apache-2.0
import Base

/// A moment at which a device knew UTC: a row of `clock.csv`, which `TableSet` writes.
package struct ClockNote: Sendable, Hashable {
    package let enrolment: String?
    package let boot: String
    package let anchor: RecordingDescription.AnchorNote

    /// Those of all descriptions, each once, by boot and uptime.
    package static func notes(of recordings: [StudyRecording]) -> [ClockNote] {
        var seen: Set<[String]> = []
        return recordings.flatMap { recording -> [ClockNote] in
            guard let description = recording.description else { return [] }
            return description.anchors.compactMap { anchor in
                guard seen.insert([description.bootID, String(anchor.uptime)]).inserted else { return nil }
                return ClockNote(enrolment: recording.enrolment, boot: description.bootID, anchor: anchor)
            }
        }.sorted { ($0.boot, $0.anchor.uptime) < ($1.boot, $1.anchor.uptime) }
    }
}
