// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When the app leaves a study by itself: no questionnaire is active or will be, and none was
/// completed today or within `additionalDaysActive` days (`Study.leaveAfterCheck`, ESMira-apps
/// f750e58). The app checks this when it is opened and before each upload; here the study is left as
/// soon as it is true (`StudyEnd`).
struct ESMiraClosing: StudyClosing {
    /// When one questionnaire is active. Questionnaires without pages count, too.
    struct Life: Sendable {
        let task: String
        let span: ESMiraSpan
        /// nil = for all groups.
        let group: String?
        /// True where the questionnaire can be completed once only; it is over then.
        let isOnce: Bool
    }

    let lives: [Life]
    let additionalDays: Int

    /// The latest end of all questionnaires; nil where one of them has no end. It does not come before
    /// `additionalDays` whole days have passed after the local day of `lastDone`.
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
