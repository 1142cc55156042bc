// SPDX-License-Identifier: Apache-2.0

/// What `ButtonProbe` has found out about one button so far. Pure.
struct ButtonVerdict: Sendable {
    private enum State: Sendable {
        case failed(any Error)
        case down
        case stuck
        /// Opens and is up; no press was asked for.
        case up
        /// The names of the buttons that were detected instead; empty = none.
        case undetected([String])
        case pressed
    }
    private var state: State

    /// The first look: whether the button is down, or why it could not be opened.
    init(_ look: Result<Bool, any Error>) {
        switch look {
        case .success(let isDown): state = isDown ? .down : .up
        case .failure(let error): state = .failed(error)
        }
    }

    /// True when it was down when it was first looked at.
    var isDown: Bool { if case .down = state { true } else { false } }
    /// True when it opens and is up, so that it can be pressed.
    var isUp: Bool { if case .up = state { true } else { false } }

    /// A second look: the participant may just have leaned on it.
    mutating func recordSecondLook(_ look: Result<Bool, any Error>) {
        if case .success(true) = look { state = .stuck } else { self = ButtonVerdict(look) }
    }

    /// These buttons went down while the one at `expected` was to be pressed.
    mutating func recordPresses(_ buttons: [Int], expected: Int, _ board: BoardDescription) {
        state = buttons.contains(expected) ? .pressed : .undetected(buttons.map { board.buttons[$0].name })
    }

    func finding(_ subject: CheckSubject) -> CheckFinding {
        switch state {
        case .failed(let error):
            CheckFinding(
                subject, failure: error, remedy: "check the wiring, the overlay and the groups gpio and input")
        case .down, .stuck:
            CheckFinding(
                subject, .failed, "is stuck: always pressed",
                remedy:
                    "free it if it is jammed; otherwise its wire touches ground, or active_low and bias in the board file are swapped"
            )
        case .up:
            CheckFinding(subject, .skipped, "opens and is not stuck; run this on a terminal to test a press")
        case .undetected(let others) where others.isEmpty:
            CheckFinding(
                subject, .failed, "no press detected",
                remedy: "check its wire and the line or key code in the board file (gpiomon, evtest)")
        case .undetected(let others):
            CheckFinding(
                subject, .failed, "its press was detected as '\(others.joined(separator: "', '"))'",
                remedy: "swap their wires, or their lines or codes in the board file")
        case .pressed: CheckFinding(subject, .ok, "press and release detected")
        }
    }
}
