// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// The part of a dataset that lies between two moments, and of one participant or all: `--from`, `--until` and
/// `--participant` of `study-receiver export`. A moment without an offset is that of each participant's wall
/// clock. A recording belongs to it where any of its time does. Other files have no time, and stay.
package struct WindowedDataset: DerivedDataset {
    package let whole: any StudyDataset
    private let window: ExportWindow
    package let participants: [Participant]

    /// Throws for an unknown participant, and names known ones.
    package init(_ whole: any StudyDataset, window: ExportWindow, participant: String?) throws {
        (self.whole, self.window) = (whole, window)
        participants = whole.participants.filter { participant == nil || $0.id == participant }
        guard let participant, participants.isEmpty else { return }
        let near = Misspelling.nearest(participant, in: whole.participants.map(\.id))
        throw DatasetError(
            "study \(whole.study.shown) has no participant \(participant)",
            near.map { "did you mean \($0.shown)?" }
                ?? "it has \(whole.participants.prefix(20).map(\.id.shown).joined(separator: ", "))")
    }

    package func record(of participant: Participant) throws -> ParticipantRecord {
        var record = try whole.record(of: participant)
        guard !window.isAll else { return record }
        record.window = window
        record.recorded = RecordedTime(of: record.recordings)
        record.prompts.removeAll { !holds($0.due) }
        record.submissions.removeAll { !holds($0.answered) }
        record.events.removeAll { !holds($0.time) }
        record.recordings.removeAll { !overlaps($0) }
        record.missing.removeAll { item in item.day.map { !holds($0) } ?? false }
        return record
    }

    package func trial() throws -> StudyTrial? {
        guard var trial = try whole.trial() else { return nil }
        trial.decisions = { [all = trial.decisions, window] in
            try all($0).filter { window.contains($0.due.instant, offset: $0.due.offset ?? 0) }
        }
        // Decisions can be computed again from whole logs only.
        if !window.isAll { trial.logs = { _ in [] } }
        return trial
    }

    private func holds(_ time: StudyTime) -> Bool { window.contains(time.instant, offset: time.offset ?? 0) }

    private func overlaps(_ recording: StudyRecording) -> Bool {
        guard let start = recording.start, let end = recording.end else { return false }
        let offset = start.offset ?? 0
        let walls = window.walls(offset: offset)
        return walls.from.map { end.instant + .seconds(offset) >= $0 } ?? true
            && walls.until.map { start.instant + .seconds(offset) < $0 } ?? true
    }

    /// Days are the wall clock's.
    private func holds(_ day: LocalDate) -> Bool {
        let walls = window.walls(offset: 0)
        let start = LocalDateTime(day, .midnight).instant(offset: 0)
        return walls.from.map { start + .seconds(86_400) > $0 } ?? true && walls.until.map { start < $0 } ?? true
    }
}

/// The dataset does not have the participant that was asked for.
package struct DatasetError: ExplainedError, Sendable, Hashable {
    package let explanation: Explanation

    package init(_ cause: String, _ remedy: String? = nil) { explanation = Explanation(cause: cause, remedy: remedy) }
}
