// SPDX-License-Identifier: Apache-2.0
import Study

/// The schedule of tasks that the app has as pages (`ESMiraMessageTask`, `ESMiraTimesTask`): in the list from joining
/// on, for ever, and never with a prompt.
struct ESMiraAlways: Schedule {
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        var offer = Occurrence(
            id: task.key + "/open", task: task.key, taskIndex: task.index, number: 1,
            local: context.enrolment.local, due: context.enrolment.instant, expires: nil, isSignalled: false)
        offer.purpose = .offer
        return [offer]
    }
}
