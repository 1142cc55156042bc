// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization

/// Collects the remarks of an enrolment for the person at `studyd enroll`, who gets them with the answer; any thread.
package final class EnrolmentRemarks: Sendable {
    private let collected = Mutex<[String]>([])

    package init() {}

    /// To be given to `Enroller.enrol` as its `progress`.
    package func record(_ progress: Enroller.Progress) {
        if case .remark(let text) = progress { collected.withLock { $0.append(text) } }
    }

    /// A line for each remark, below what else is printed; empty where there is none.
    package var lines: String { collected.withLock { $0.map { "\nremark: " + $0.shown(indent: 8) }.joined() } }
}

extension Enroller {
    /// Enrols as `studyd enroll` asks for it, whether an agent runs or not: reads the study, and
    /// says what came of it, with all remarks.
    package func enrol(_ request: EnrolmentRequest, _ platforms: PlatformCatalog) async throws -> String {
        // Of an enrolment whose study's file was lost: that file is looked for, to be put back.
        let lost = try await lostEnrolment()?.fileDigest
        do {
            let options = try await onThread("studyd-load") { try request.loadOptions(platforms, lost: lost) }
            let remarks = EnrolmentRemarks()
            let record = try await enrol(options) { remarks.record($0) }
            return record.summary + remarks.lines
        } catch let refusal as PlatformServerError {
            // Participants that a server enrolled without that being stored here: they are named in the refusal.
            guard let leftOver = await leftOver() else { throw refusal }
            throw EnrolmentError.refusedAfterJoin(leftOver, refusal.explanation)
        }
    }
}

extension EnrolmentRecord {
    /// One line for the person who enrolled.
    package var summary: String {
        let arm = condition.map { ", condition \($0)" } ?? ""
        return "enrolled: participant \(participant) in study \(studyID)\(arm)".shown
    }
}
