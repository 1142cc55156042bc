// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// An action of an `ESMiraSchedule` because of something that happened, such as a questionnaire that was
/// submitted.
struct ESMiraTrigger: Sendable, Hashable {
    /// Indices in the study's file.
    let id: String
    let action: ESMiraAction
    let cue: StudyHappening.Name
    /// Indices of the event in the file; all actions of an event share its random delay.
    let event: String
    /// In seconds; the delay is drawn evenly, to the millisecond, between both.
    let delayFrom, delayTo: Int
    /// Events of the trigger's own questionnaire do not count.
    var skipsOwn = false
    /// Key of the only questionnaire whose events count; nil = of any.
    var specific: String?

    /// Joining is known from the enrolment itself, so every plan computes what it triggers.
    static let joined = StudyHappening.Name(rawValue: "joined")

    private static let callHead = "script."

    /// What is recorded when a script asks for a questionnaire: the event's name holds the timeout and the
    /// message, without "/", which would divide the stored key. `called` reads them back.
    static func call(_ id: Int, _ message: String, minutes: Int, at now: Instant) -> StudyHappening {
        let text = String(message.prefix(500).map { $0 == "/" ? "\u{2215}" : $0 })
        return StudyHappening(.init(rawValue: "\(callHead)\(minutes).\(text)"), task: String(id), at: now)
    }

    /// The invitation that `call` recorded for the questionnaire `own`; nil for any other event.
    static func called(_ happening: StudyHappening, own: String) -> ESMiraAction? {
        guard happening.task == own, happening.name.rawValue.hasPrefix(callHead) else { return nil }
        let parts = happening.name.rawValue.dropFirst(callHead.count).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let minutes = Int(parts[0]) else { return nil }
        return ESMiraAction(message: PlainText(html: String(parts[1])).text, timeout: .seconds(60 * max(0, minutes)))
    }

    /// `own` is the key of the questionnaire that has the trigger.
    func listens(to happening: StudyHappening, own: String) -> Bool {
        guard happening.name == cue else { return false }
        if let specific { return happening.task == specific }
        return !skipsOwn || happening.task != own
    }

    func delay(using generator: inout SplitMix64) -> Duration {
        let spread = 1_000 * (delayTo - delayFrom)
        return .milliseconds(1_000 * delayFrom + (spread == 0 ? 0 : Int(generator.unit() * Double(spread))))
    }

    /// An invitation that a questionnaire triggers for itself when it is submitted never shows, because
    /// the app removes its notification then (`Questionnaire.saveQuestionnaire`).
    func isOverAtOnce(_ due: Instant, _ happening: StudyHappening, own: String) -> Bool {
        action.notice == nil && happening.name == .submitted && happening.task == own && due == happening.moment
    }
}
