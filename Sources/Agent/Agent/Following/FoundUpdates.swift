// SPDX-License-Identifier: Apache-2.0
import Study
import Synchronization

/// What `UpdateService` has found since the agent began, so that the loop does not get it twice: a second check may come
/// before the log has what the first one found.
final class FoundUpdates: Sendable {
    private let ids = Mutex<Set<String>>([])
    private let refused = Mutex<[String: (version: String, reason: String)]>([:])

    /// The version of that enrolment's study that this board cannot run; tried again after a restart, when
    /// the program may be another.
    func refusedVersion(of enrolment: String) -> String? { refused.withLock { $0[enrolment]?.version } }

    /// The same in words.
    func refusal(of enrolment: String) -> String? {
        refused.withLock { $0[enrolment].map { StudyUpdateCheck.line($0.version, $0.reason) } }
    }

    /// Notes that this board cannot run that version; true where the last one refused was another.
    func refuse(_ version: String, _ reason: String, of enrolment: String) -> Bool {
        refused.withLock { $0.updateValue((version, reason), forKey: enrolment)?.version != version }
    }

    /// The server has another version by now.
    func accept(of enrolment: String) { refused.withLock { $0[enrolment] = nil } }

    func takeNew(_ messages: [StudyMessage], to enrolment: String) -> [StudyMessage] {
        ids.withLock { ids in messages.filter { ids.insert(enrolment + "/" + $0.id).inserted } }
    }
}
