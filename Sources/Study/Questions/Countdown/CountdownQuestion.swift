// SPDX-License-Identifier: Apache-2.0
import Base

/// A countdown that the participant starts: `CountdownKind` makes it, and `TaskRun` drives it.
///
/// ```
///  ready ── next, previous ──▶ running ── time is up ──▶ answered 1
///    │ select: left out         └── select ──▶ answered 0
///    │ undo: back               └── undo, the menu ──▶ ready
/// ```
/// While it runs no press is needed.
package struct CountdownQuestion: QuestionMachine {
    private let time: Duration
    /// The time of the last edge: gestures have none of their own.
    private var now: MonotonicTime
    private var end: MonotonicTime?

    /// A countdown of that length; `now` is when it is presented.
    package init(time: Duration, now: MonotonicTime) { (self.time, self.now) = (time, now) }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge): now = edge.time
        case .tick(let time):
            guard let end, end <= time else { break }
            self.end = nil
            return [.say(.timeRunningOut), .answered(.number(1))]
        case .gesture(.next, 0) where end == nil, .gesture(.previous, 0) where end == nil:
            end = now + time
            // The cue of any start: nothing is recorded.
            return [.say(.recordingStarted)]
        case .gesture(.select, 0):
            guard end != nil else { return [.leftOut] }
            end = nil
            return [.answered(.number(0))]
        case .interrupted: end = nil
        case .gesture(.undo, 0):
            guard end != nil else { return [.back] }
            end = nil
            return [.say(.undone)]
        default: break
        }
        return []
    }

    package var wake: MonotonicTime? { end }
    package var isUnderWay: Bool { end != nil }

    /// A scripted participant does not wait: whatever it wants, it begins and goes on.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .answer(.number): Press(end == nil ? .next : .select)
        case .leaveOut: end == nil ? Press(.select) : Press(.undo)
        default: nil
        }
    }
}

enum CountdownPhrases {
    static let howTo = Phrase("{0} to start {1} seconds, whose end is signalled; {2} to continue earlier")
}
