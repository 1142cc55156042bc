// SPDX-License-Identifier: Apache-2.0
import Study

/// The schedule of a task that can be done at any time: in the list from joining on, for ever, and never with a
/// prompt. Messages and moved prompt times of ESMira have it, and Sage tasks without a schedule in
/// `study.toml`.
package struct AlwaysOpen: Schedule {
    package init() {}

    package func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        var offer = Occurrence(
            id: task.key + "/open", task: task.key, taskIndex: task.index, number: 1,
            local: context.enrolment.local, due: context.enrolment.instant, expires: nil, isSignalled: false)
        offer.purpose = .offer
        return [offer]
    }
}
