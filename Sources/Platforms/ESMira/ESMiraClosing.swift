// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When the app leaves a study by itself: no questionnaire is active or will be, and none was
/// completed today or within `additionalDaysActive` days (`Study.leaveAfterCheck`, ESMira-apps
/// f750e58). The app looks when it is opened, and before each upload of what it has; here it is
/// left as soon as that is true.
struct ESMiraClosing: StudyClosing {
    /// A questionnaire's time, with pages or without.
    struct Life: Sendable {
        let task: String
        let span: ESMiraSpan
        /// nil = for all groups.
        let group: String?
        /// Over once it was done.
        let isOnce: Bool
    }

    let lives: [Life]
    let additionalDays: Int

    func end(in context: ScheduleContext, lastDone: Instant?) -> Instant? {
        var end = context.enrolment.instant
        for life in lives where life.group == nil || life.group == context.enrolment.condition {
            if life.isOnce, context.facts.completedTasks.contains(life.task) { continue }
            guard life.span.isBounded else { return nil }
            guard let limits = life.span.active(context) else { continue }
            end = max(end, limits.upperBound + .milliseconds(1))
        }
        guard let lastDone else { return end }
        let day = context.zone.local(lastDone).date.adding(days: additionalDays + 1)
        return max(end, context.zone.resolve(LocalDateTime(day, .midnight)).instant)
    }
}
