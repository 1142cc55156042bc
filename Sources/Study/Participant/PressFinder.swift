// SPDX-License-Identifier: Apache-2.0
import Base

/// Finds the button edges (presses and releases) by which a wanted answer is given on a panel, so that a
/// scripted participant exercises the same path as a finger: edges, gestures, question machine.
/// `PressPlanner` calls it.
package struct PressFinder: Sendable {
    /// Between a release and the next press, with `HoldTimes.usual`.
    package static let pause: Duration = .milliseconds(200)
    /// The pause on this panel: long enough that the release counts before the next press.
    private var pause: Duration { Self.pause + panel.holdTimes.bridge }
    /// A question that needs more presses than this counts as one that presses cannot answer.
    private static let mostPresses = 2_000

    private let panel: Panel

    package init(_ panel: Panel) { self.panel = panel }

    /// The edges of one press that begins at `time`; nil where no button of the panel
    /// makes that gesture.
    package func edges(_ press: Press, at time: MonotonicTime) -> [ButtonEvent]? {
        for (button, table) in panel.holdTables.enumerated() {
            guard var hold = table.hold(for: press.gesture) else { continue }
            if press.repeats > 0 {
                guard let long = table.hold(for: press.gesture, repeats: press.repeats) else { continue }
                hold = long
            }
            return Self.edges(of: button, at: time, hold: hold)
        }
        return nil
    }

    /// A press of that button, and its release.
    static func edges(of button: Int, at time: MonotonicTime, hold: Duration) -> [ButtonEvent] {
        [
            ButtonEvent(button: button, isPressed: true, time: time),
            ButtonEvent(button: button, isPressed: false, time: time + hold),
        ]
    }

    /// All edges, from `time` on, after which the current question of `run` is answered with
    /// `wanted`, or left out; nil where no presses lead there. Each press is tried on a copy of the run,
    /// through the real gestures.
    package func presses(for wanted: Wanted, in run: TaskRun, from time: MonotonicTime) -> [ButtonEvent]? {
        var run = run
        var edges: [ButtonEvent] = []
        var now = time
        let presentations = run.questions.count
        while run.questions.count == presentations, !run.isInReview, !run.hasEnded {
            guard edges.count < 2 * Self.mostPresses, let press = run.press(towards: wanted),
                let pair = self.edges(press, at: now), let release = pair.last
            else { return nil }
            run.play(pair, panel: panel, wanted: wanted)
            edges += pair
            now = release.time + pause
        }
        return edges
    }
}

extension TaskRun {
    /// The next press of a performance; nil = wait.
    package func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch state {
        case .asking: question.move(strategy, using: &generator)
        // Place 0 of the menu goes back to the question.
        case .menu(let ring): PerformanceMove(.gesture(ring.press(to: 0, layout: panel.layout)))
        case .leaving: PerformanceMove(.gesture(Press(.cancel)))
        case .review, .ended: nil
        }
    }

    /// True while an active task goes on without a press.
    package var isUnderWay: Bool { if case .asking = state { question.isUnderWay } else { false } }

    /// True while the current question takes presses themselves, whatever gestures their buttons make.
    package var takesPresses: Bool {
        if case .asking = state { question.takesPresses } else { false }
    }

    /// True while the current question waits for what the device measures.
    package var awaitsDevice: Bool {
        if case .asking = state { question.awaitsDevice } else { false }
    }

    /// The next press that brings the current question to `wanted`. A question that no button leaves out is
    /// left out by the menu.
    package func press(towards wanted: Wanted) -> Press? {
        switch state {
        case .asking: question.press(towards: wanted) ?? (wanted == .leaveOut ? Press(.menu) : nil)
        // Of the menu's places (`RunMenu`), 0 goes back to the question and 1 leaves it out.
        case .menu(let ring):
            ring.press(to: wanted == .leaveOut ? 1 : 0, layout: panel.layout)
        case .review: Press(.select)
        case .leaving: Press(.cancel)
        case .ended: nil
        }
    }

    /// Plays one press, from its press edge to its release, on this copy of the run. The run's effects are
    /// dropped, except that measurements are answered with what `wanted` has.
    fileprivate mutating func play(_ pair: [ButtonEvent], panel: Panel, wanted: Wanted) {
        guard let pressed = pair.first, let released = pair.last else { return }
        _ = handle(.edge(pressed), at: pressed.time)
        var recogniser = GestureRecogniser(panel)
        var recognised = recogniser.handle(pressed)
        recognised += recogniser.tick(at: released.time)
        recognised += recogniser.handle(released)
        recognised += recogniser.tick(at: released.time + panel.holdTimes.bridge)
        for case .gesture(let gesture, let repeats) in recognised {
            for case .device(let effect) in handle(.gesture(gesture, repeats: repeats), at: released.time) {
                switch (effect, wanted) {
                case (.takePosition, .answer(.position(let latitude, let longitude))):
                    _ = handle(.device(.position(latitude: latitude, longitude: longitude)), at: released.time)
                case (.takeReading, .answer(let answer)):
                    _ = handle(.device(.reading(DeviceReading.figures(answer))), at: released.time)
                default: break
                }
            }
        }
    }
}
