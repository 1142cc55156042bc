// SPDX-License-Identifier: Apache-2.0
import Base

/// How a scripted participant performs an active task, as its file says; `PerformancePlanner` has the step play
/// it.
package enum PerformanceStrategy: Sendable, Hashable {
    case perfect, fail, random
    /// Presses of buttons by their names on the panel, in order, each this long after the task was
    /// presented.
    case presses([ScriptedPress])
}

/// One press of a performance that is written down in a participant file.
package struct ScriptedPress: Sendable, Hashable {
    /// The button's name on the panel.
    package let button: String
    /// Since the task was presented.
    package let at: Duration
    /// How long it is held; a tap unless written.
    package var hold = Duration.milliseconds(120)
}

extension ScriptedPress {
    /// Reads `select@12.5`, or `select@12.5+1.0` for a hold of a second; nil where it is neither.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let times = parts[1].split(separator: "+").map { Double($0) }
        guard (1...2).contains(times.count), let at = times[0], let hold = times.count == 2 ? times[1] : 0.12,
            (0...1e6).contains(at), (0...60).contains(hold)
        else { return nil }
        self.init(
            button: String(parts[0]), at: .milliseconds(Int64((at * 1_000).rounded())),
            hold: .milliseconds(Int64((hold * 1_000).rounded())))
    }
}

/// The next press of a scripted participant who performs an active task (`QuestionMachine.move`).
package struct PerformanceMove: Sendable, Hashable {
    package enum Target: Sendable, Hashable {
        /// A gesture, by whichever button makes it.
        case gesture(Press)
        /// The button of that number on the panel.
        case button(Int)
    }
    package let target: Target
    /// From the call that asks for it to its first press.
    package let after: Duration

    package init(_ target: Target, after: Duration = .milliseconds(400)) { (self.target, self.after) = (target, after) }
}
