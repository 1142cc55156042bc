// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Simulation
import Study

/// Presses the simulated buttons for the players of the demo: the edges go through the pipe, the evdev code and
/// the gestures.
struct DemoButtons {
    private let keys: SimulatedKeys?
    private let thread: SteppedThread?
    private let codes: [UInt16]
    /// The terminal's keys, in the order of the buttons.
    let names: [String]

    init(_ simulation: SimulatedBoard, board: BoardDescription) {
        keys = simulation.keys
        thread = simulation.keyThread
        codes = board.buttons.map { UInt16($0.code) }
        names = board.buttons.map(\.terminalKey)
    }

    func press(_ edges: [ButtonEvent]) {
        for edge in edges where codes.indices.contains(edge.button) {
            if edge.isPressed {
                keys?.hold(key: codes[edge.button], at: edge.time)
            } else {
                keys?.release(key: codes[edge.button], at: edge.time)
            }
        }
        thread?.wake()
    }

    func press(_ button: Int, at time: MonotonicTime, for duration: Duration) {
        press([
            ButtonEvent(button: button, isPressed: true, time: time),
            ButtonEvent(button: button, isPressed: false, time: time + duration),
        ])
    }
}
