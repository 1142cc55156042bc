// SPDX-License-Identifier: Apache-2.0
import Base

/// Watches the presses and the lights of a reaction test (`ReactionStep`, `VigilanceStep`): it drops presses
/// that bounce, and pauses the test when lights stay dark or the participant has left. Pure.
struct StimulusWatch: Sendable {
    /// How the test goes on once a light is over.
    enum Continuation: Sendable {
        case next, over
        /// Until a press; the cue says why.
        case paused(Cue)
    }

    /// From the start of the instructions to the first example: reading them out takes about this.
    static let firstExample: Duration = .seconds(8)
    /// How long examples are shown, and how long a test goes on, without a press.
    private static let patience: Duration = .seconds(300)
    /// No finger lets go and presses again within this time: the contact bounced.
    private static let bounce: Duration = .milliseconds(25)
    /// After this many lights in a row that did not go on the test pauses.
    private static let mostDark = 3

    /// The button that a scripted participant presses.
    let button: Int
    private var lastPress: MonotonicTime
    private var released: [Int: MonotonicTime] = [:]
    /// Lights in a row that did not go on so far.
    private var dark = 0

    init(_ context: QuestionContext) {
        button = context.panel.targets.first ?? 0
        lastPress = context.time
    }

    /// Takes in an edge: true for a press; false for a release, and where the contact bounced.
    mutating func take(_ edge: ButtonEvent) -> Bool {
        guard edge.isPressed else {
            released[edge.button] = edge.time
            return false
        }
        if let released = released[edge.button], edge.time - released < Self.bounce { return false }
        lastPress = edge.time
        return true
    }

    /// A light that went on ends the row of dark ones.
    mutating func see(_ light: ShownLight) { if light.isLit { dark = 0 } }

    /// No press within `patience`: the participant must have left.
    func isAbandoned(at now: MonotonicTime) -> Bool { now - lastPress >= Self.patience }

    /// After a light, once its result was shown long enough; `isOver` = it was the last.
    func continuation(isOver: Bool, at now: MonotonicTime) -> Continuation {
        isOver ? .over : isAbandoned(at: now) ? .paused(.menuItem(1, GamePhrases.pressToGoOn)) : .next
    }

    /// After a light that did not go on.
    mutating func countDark() -> Continuation {
        dark += 1
        return dark < Self.mostDark ? .next : .paused(.fault(VigilancePhrases.dark))
    }

    /// To be called when the test pauses.
    mutating func resetDarkCount() { dark = 0 }

    /// How long a scripted participant takes.
    static func reaction(_ strategy: PerformanceStrategy, _ generator: inout SplitMix64) -> Duration {
        switch strategy {
        case .fail: .milliseconds(800)
        case .random: .milliseconds(150 + generator.below(900))
        default: .milliseconds(250)
        }
    }
}
