// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A signal time of the study's file, which the participant may move where its schedule is `userEditable`
/// (`SignalTime.kt`, ESMira-apps f750e58). `ESMiraSchedule` keeps it beside the prompts that come from it.
struct ESMiraSignalTime: Sendable, Hashable {
    /// Indices in the study's file: trigger, schedule, signal time.
    let id: String
    /// The id of the schedule it belongs to.
    let schedule: String
    /// Identifies all schedules of its trigger. If a new version of the study changes one of them, the
    /// app makes all their times again and moves are lost (`ActionTrigger.save`).
    let fingerprint: String
    /// As the file has it; a fixed time ends as it starts.
    let window: ESMiraDayWindow
    let isRandom: Bool
    /// Prompts of a day.
    let frequency: Int
    /// The least time between two of them, in milliseconds.
    let between: Int
    let isEditable: Bool
    /// In words: `at random, 3 times every day`.
    let rhythm: String

    /// The name of the study variable in which its moves are kept.
    func variable(_ task: String) -> String { "times/\(task)/\(id)" }

    /// Oldest first; empty if the study has changed the schedules of its trigger since.
    func moves(_ task: String, _ facts: StudyFacts) -> [ESMiraMove] {
        guard case .text(let text)? = facts.variables[variable(task)] else { return [] }
        let parts = text.split(separator: " ")
        guard let first = parts.first, first == fingerprint else { return [] }
        return parts.dropFirst().compactMap { ESMiraMove(String($0)) }
    }

    /// The time that holds for coming days.
    func present(_ task: String, _ facts: StudyFacts) -> ESMiraDayWindow { moves(task, facts).last?.window ?? window }

    /// True where a random time's window is too short for its prompts: as the app's `isFaulty`, it needs
    /// `between` for each of them, even for a single one.
    func isFaulty(_ window: ESMiraDayWindow) -> Bool {
        isRandom && (window.end - window.start) / max(1, frequency) < between
    }

    /// As `Schedule.toDescString` writes it.
    func text(_ window: ESMiraDayWindow, title: String) -> String {
        "\(title): " + Self.clock(window.start) + (isRandom ? "-" + Self.clock(window.end) : "") + ", "
    }

    /// Java's short format of American English, which the app uses for all times: `9:00 AM`.
    private static func clock(_ milliseconds: Int) -> String {
        let minutes = milliseconds / 60_000 % 1_440
        let hour = minutes / 60 % 12
        return "\(hour == 0 ? 12 : hour):\((minutes % 60).padded(2)) " + (minutes < 720 ? "AM" : "PM")
    }
}

/// A new time for an `ESMiraSignalTime`, set by the participant, which holds from `day` on.
struct ESMiraMove: Sendable, Hashable {
    /// Days since 1970 by the local calendar.
    let day: Int
    let window: ESMiraDayWindow

    init(day: Int, _ window: ESMiraDayWindow) {
        self.day = day
        self.window = window
    }

    /// `20780:32400000-61200000`.
    init?(_ text: String) {
        let parts = text.split { $0 == ":" || $0 == "-" }.compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        self.init(day: parts[0], ESMiraDayWindow(parts[1], parts[2]))
    }

    var text: String { "\(day):\(window.start)-\(window.end)" }
}
