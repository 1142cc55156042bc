// SPDX-License-Identifier: Apache-2.0
import Hardware
import Times

/// A board's panel and buses, opened. Parts that cannot be opened are named with file, key and remedy.
public struct BoardDevices: Sendable {
    /// The description they were opened from.
    public let board: BoardDescription
    /// In the order of the board file.
    public let lights: [any Indicator]
    /// Nil where the board has none: a loudspeaker then plays the tones.
    public let buzzer: (any Buzzer)?
    /// A motor, which shakes while a tone "sounds"; nil where the board has none.
    public let vibration: (any Buzzer)?
    /// By the name under which the board's chips refer to them.
    public let buses: [String: any I2CBus]
    /// The loudspeaker; nil where the board has none.
    public let playback: PCMPlayback?
    /// How the microphone is opened; it is opened when it is needed.
    public let microphone: PCMParameters?
    /// Where the position comes from.
    public let serialPath: String?
    private let opener: PartOpener

    /// Opens the board's parts.
    public init(_ board: BoardDescription, parts: SimulatedParts, clock: any StudyClock) throws {
        self.board = board
        let opener = PartOpener(board: board, parts: parts)
        self.opener = opener
        lights = try board.lights.indices.map(opener.light)
        buzzer = try opener.buzzer()
        var buses: [String: any I2CBus] = [:]
        for (index, bus) in board.buses.enumerated() { buses[bus.name] = try opener.bus(index) }
        self.buses = buses
        vibration = try opener.vibration()
        microphone = opener.microphone
        serialPath = opener.serialPath
        playback = try opener.loudspeaker.map { try PCMPlayback($0, clock: clock) }
    }

    /// The buttons, opened anew; given to the input thread.
    public func buttons() throws -> [any ButtonSource] { try opener.buttons() }

    /// Everything dark, silent and still.
    public func close() {
        for light in lights { light.close() }
        buzzer?.close()
        vibration?.close()
        playback?.close()
    }
}
