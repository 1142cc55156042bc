// SPDX-License-Identifier: Apache-2.0
import StudyEngine

extension Panel {
    /// The panel that a board file describes; the order of its buttons decides their roles.
    public init(_ board: BoardDescription) throws {
        try self.init(
            buttons: Panel.buttons(named: board.buttons.map(\.name)),
            leds: board.lights.map { LED($0.name, $0.isRGB ? .rgb : .mono) },
            buzzer: board.buzzer == nil ? nil : .pitched, hasLoudspeaker: board.loudspeaker != nil,
            hasMicrophone: board.microphone != nil)
    }
}
