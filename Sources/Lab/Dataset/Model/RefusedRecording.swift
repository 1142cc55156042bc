// SPDX-License-Identifier: Apache-2.0

/// Why a recording is not part of an export: `BIDSPlanner` and `XDFExport` say so instead of writing it.
struct RefusedRecording {
    let reason: String
    let kind: DatasetIssue.Kind
    /// It should have been part of it: it is no longer what arrived, or another is in its place. An export then
    /// fails (`MissingItem.isHole`).
    private let isHole: Bool

    static let damaged = RefusedRecording("is damaged: its SHA-256 is another than when it arrived", isHole: true)

    init(_ reason: String, isHole: Bool, _ kind: DatasetIssue.Kind = .unreadable) {
        (self.reason, self.isHole, self.kind) = (reason, isHole, kind)
    }

    /// Nil where nothing is missing.
    func hole(_ recording: StudyRecording) -> MissingItem? {
        guard isHole else { return nil }
        return MissingItem(
            kind: .file, enrolment: recording.enrolment, day: recording.start?.day, name: recording.name,
            state: reason, why: nil, isHole: true)
    }
}
