// SPDX-License-Identifier: Apache-2.0

/// An action of an `ESMiraSchedule` at times of the day; an `ESMiraTrigger` has one because of an event.
struct ESMiraPrompt: Sendable, Hashable {
    /// Indices in the study's file: trigger, schedule, signal time, as `0.0.1`.
    let id: String
    let action: ESMiraAction
    let cycle: ESMiraCycle
    let signal: ESMiraSignal
    /// The id of the `ESMiraSignalTime` it comes from.
    let time: String
}

/// What a prompt or a trigger does: an invitation with its reminders, or a notice.
struct ESMiraAction: Sendable, Hashable {
    /// `message` and `notification` are only announced; nil = an invitation.
    var notice: String?
    /// Into the app's inbox; kept.
    static let message = "message"
    /// Announced, and not kept.
    static let notification = "notification"
    /// As plain text.
    let message: String
    /// How long after the last reminder the signal goes away; zero = it stays.
    var timeout = Duration.zero
    var reminders = 0
    /// Bounds the plan, which holds the moment of every reminder.
    static let mostReminders = 100
    var reminderDelay = Duration.seconds(300)
}
