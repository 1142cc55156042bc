// SPDX-License-Identifier: Apache-2.0
import Study

extension Panel {
    /// The same, in the language that the device's configuration names.
    package init(_ board: BoardDescription, speaking settings: SpeechSettings) throws {
        try self.init(board)
        language = settings.language
    }

    /// The panel that a board file describes; the order of its buttons decides their roles.
    package init(_ board: BoardDescription) throws {
        let names = board.buttons.map(\.name)
        try self.init(
            buttons: Panel.buttons(named: names),
            leds: board.lights.map { light in
                LED(light.name, light.isRGB ? .rgb : .mono, button: light.button.flatMap { names.firstIndex(of: $0) })
            },
            buzzer: board.buzzer.map { $0.device.line == nil ? .pitched : .fixed },
            hasVibration: board.vibration != nil,
            hasLoudspeaker: board.loudspeaker != nil, hasMicrophone: board.microphone != nil,
            hasPosition: board.position != nil, letters: board.letters,
            columns: board.columns, capsSpans: board.capsSpans)
        readings = board.readings
    }
}
