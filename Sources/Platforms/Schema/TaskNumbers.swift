// SPDX-License-Identifier: Apache-2.0
import Study

/// The running numbers of a participant's tasks, which modules take in the order of the file:
/// `SchemaScheduleReader` counts them, and both schedules number their occurrences from there.
struct TaskNumbers: Sendable, Hashable {
    private struct Share: Sendable, Hashable {
        /// nil = for everyone.
        let arm: String?
        let count: Int
    }

    private var shares: [Share] = []

    /// How many are taken, for all arms together.
    var count: Int { shares.reduce(0) { $0 + $1.count } }

    mutating func take(_ count: Int, for arm: String?) { shares.append(Share(arm: arm, count: count)) }

    /// The first that is free for a participant, who gets the modules of one arm only; the app
    /// begins at 101.
    func next(in context: ScheduleContext) -> Int {
        shares.filter { $0.arm == nil || $0.arm == context.enrolment.condition }.reduce(101) { $0 + $1.count }
    }
}
