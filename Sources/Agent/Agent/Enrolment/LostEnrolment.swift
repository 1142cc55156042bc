// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// An enrolment in force whose study cannot be read: measuring continues for it, without prompts. `StudyLoop` finds
/// it and shows its `fault`; `ControlService` tells commands of it.
struct LostEnrolment: Sendable {
    enum Cause: Sendable, Hashable {
        /// Its rows were lost with a damaged store; it is known from the copy beside it.
        case store
        /// The log has it, and the study's file is gone or damaged.
        case file
        /// Its file is whole, and cannot be read for this reason.
        case unreadable(String)
        /// The store did not give it now, for this reason.
        case unread(String)
        /// The store may not be used now, and is left as it is.
        case refusedStore
    }
    let record: EnrolmentRecord
    let cause: Cause

    /// How long to wait before the study is read again, where nothing has changed: a file that is whole is decoded
    /// each time.
    var pause: Duration { if case .unreadable = cause { .seconds(600) } else { .zero } }

    var explanation: Explanation {
        switch cause {
        case .store:
            Explanation(
                cause: "the enrolment of participant \(record.participant) in study \(record.studyID) was lost; "
                    + "recording continues, but there are no prompts",
                remedy: "enrol again with 'studyd enroll'")
        case .file: EnrolmentError.studyLost(record.lostStudy).explanation
        case .unreadable(let reason):
            Explanation(
                place: "study \(record.studyID)",
                cause: "its file cannot be read: participant \(record.participant) gets no prompts: "
                    + reason.prefix(500),
                remedy: "restart studyd, or install the version that took the study; else run 'studyd withdraw'")
        case .unread(let reason):
            Explanation(
                place: "study \(record.studyID)",
                cause: "the store did not give its file: participant \(record.participant) gets no prompts until it "
                    + "does: \(reason.prefix(500))")
        case .refusedStore:
            Explanation(
                cause: "recording continues for participant \(record.participant) of study \(record.studyID), but "
                    + "there are no prompts until the store can be used")
        }
    }

    /// What stands among the faults; nil where the store's own fault says it.
    var fault: Explanation? { cause == .refusedStore ? nil : explanation }
}
