// SPDX-License-Identifier: Apache-2.0

/// A participant's progress in a whole study: `studyd status` shows it, and `MyStudiesAccount` sends it.
package struct MyStudiesProgress: Sendable, Hashable {
    let done: Int
    /// Runs that passed without being submitted.
    let missed: Int
    /// Per cent of all runs that are over, done or missed.
    package let completion: Int
    /// Per cent of those that were done.
    package let adherence: Int

    /// Leaves out ongoing activities. Rounded down, as the apps show it; both are 0 while no run is over.
    package init(_ activities: [MyStudiesActivityProgress]) {
        let counted = activities.filter { !$0.isOngoing }
        done = counted.reduce(0) { $0 + $1.completed }
        missed = counted.reduce(0) { $0 + $1.missed }
        let over = done + missed
        let total = counted.reduce(0) { $0 + $1.total }
        completion = total == 0 ? 0 : over * 100 / total
        adherence = over == 0 ? 0 : done * 100 / over
    }
}
