// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Everything that is here of one participant, but for the samples: `LabFolder` or `DeviceFolder` gathers it,
/// and exports write it (`StudyDataset.record`). Each list is in the order of time, and the same each time it
/// is read.
package struct ParticipantRecord: Sendable, Hashable {
    package let participant: Participant
    package var prompts: [StudyPrompt] = []
    package var submissions: [StudySubmission] = []
    package var recordings: [StudyRecording] = []
    package var missing: [MissingItem] = []
    package var events: [AppEvent] = []
    package var files: [OtherFile] = []
    package var issues: [DatasetIssue] = []
    /// The name of the zone in which the wall clock was last, where the device's own log is here.
    var loggedZone: String?
    /// The part of the time that was asked for; a recording that overlaps it is here whole.
    package var window = ExportWindow.all
    /// Of all recordings, where `recordings` has those of a window alone.
    package var recorded: RecordedTime?

    package init(_ participant: Participant) { self.participant = participant }

    /// The devices that recorded: stable numbers.
    package var devices: [UInt32] { Set(recordings.compactMap { $0.description?.deviceNumber }).sorted() }
    /// What is missing though nothing explains it: an export then fails.
    package var holes: [MissingItem] { missing.filter(\.isHole) }
    /// The name of the zone in which the wall clock was last; nil where nothing says.
    var lastZone: String? {
        let named = recordings.filter { $0.description?.zone.isEmpty == false }
        // Where the clocks are unknown, the last in the list counts.
        let latest = named.enumerated().max {
            ($0.element.end?.instant ?? .epoch, $0.offset) < ($1.element.end?.instant ?? .epoch, $1.offset)
        }
        return loggedZone ?? latest?.element.description?.zone
    }
    /// False where its prompts are unknown.
    var isReported: Bool { !issues.contains { $0.kind == .noReports } }
    /// The issues that the clock of some recordings is unknown, and that it was set back under some prompts or ahead
    /// under some answers or recordings.
    var clockIssues: [DatasetIssue] {
        let unknown = recordings.count { $0.description != nil && $0.start == nil }
        let behind = prompts.count { $0.setBack != nil }
        var issues: [DatasetIssue] = []
        if unknown > 0 {
            let text = "the clock of \(Plural.of(unknown, "recording")) is unknown; only uptimes mean something there"
            issues.append(DatasetIssue(.clockUnknown, participant.id, text))
        }
        if behind > 0 {
            let text =
                "the clock was set back while \(Plural.of(behind, "prompt was", "prompts were")) open: "
                + "of their times only ended is right"
            issues.append(DatasetIssue(.clockSetBack, participant.id, text))
        }
        let answers = submissions.filter { $0.repeats == nil }.compactMap(\.ahead)
        return issues + aheadIssue(answers, "answer was", "answers were", before: "being given")
            + aheadIssue(recordings.compactMap(\.ahead), "recording was", "recordings were", before: "being complete")
    }

    private func aheadIssue(
        _ seconds: [Double], _ one: String, _ several: String, before what: String
    ) -> [DatasetIssue] {
        guard let most = seconds.max() else { return [] }
        let text =
            "\(Plural.of(seconds.count, one, several)) received before \(what), by up to \(Int(most)) s: "
            + "the device's clock was ahead, or the lab's behind; check both before using these times"
        return [DatasetIssue(.clockAhead, participant.id, text)]
    }
}
