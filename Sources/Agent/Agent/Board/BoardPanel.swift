// SPDX-License-Identifier: Apache-2.0
import Study

/// How the board file becomes the `Panel` of buttons, lights and sounds that the core and the commands work with.
extension Panel {
    /// The panel that a board file describes, with the configuration's language, and how long the participant may
    /// pause the sensors.
    package init(_ board: BoardDescription, _ configuration: AgentConfiguration) throws {
        try self.init(board)
        language = configuration.speech.language
        pause = configuration.pause
    }

    /// The panel that a board file describes, where no configuration is at hand; the order of its
    /// buttons decides their roles.
    package init(_ board: BoardDescription) throws {
        let names = board.buttons.map(\.name)
        try self.init(
            buttons: Self.buttons(of: board),
            leds: board.lights.map { light in
                LED(light.name, light.isRGB ? .rgb : .mono, button: light.button.flatMap { names.firstIndex(of: $0) })
            },
            // A line can only switch a buzzer; PWM sets its pitch.
            buzzer: board.buzzer.map { $0.device.line == nil ? .pitched : .fixed },
            hasVibration: board.vibration != nil,
            hasLoudspeaker: board.loudspeaker != nil, hasMicrophone: board.microphone != nil,
            hasPosition: board.position != nil, letters: board.letters,
            columns: board.columns, capsSpans: board.capsSpans)
        readings = board.readings
    }

    private static func buttons(of board: BoardDescription) -> [Button] {
        let bound = board.buttons.compactMap { button in button.task.map { (button.name, $0) } }
        let buttons = buttons(
            named: board.buttons.map(\.name), tasks: Dictionary(bound) { first, _ in first },
            markers: Set(board.buttons.filter(\.isMarker).map(\.name)))
        return buttons.enumerated().map { index, button in
            var button = button
            let line = board.line(of: "button[\(index)].task").map { ":\($0)" } ?? ""
            button.place = "\(board.file)\(line): button[\(index)].task"
            return button
        }
    }
}
