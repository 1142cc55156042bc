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
    /// By the name under which the board's chips refer to them.
    public let buses: [String: any I2CBus]
    /// The loudspeaker; nil where the board has none.
    public let playback: PCMPlayback?
    /// How the microphone is opened; it is opened when it is needed.
    public let microphone: PCMParameters?
    /// Where the position comes from.
    public let serialPath: String?
    private let parts: SimulatedParts

    /// Opens the board's parts.
    public init(_ board: BoardDescription, parts: SimulatedParts, clock: any StudyClock) throws {
        self.board = board
        self.parts = parts
        lights = try board.lights.enumerated().map { index, light in
            try Self.open(board, "light[\(index)]", light.device) {
                let path = light.device == BoardDescription.simulated ? parts.lights[light.name] : light.device
                return try SysfsLED(directory: path ?? light.device)
            }
        }
        buzzer = try board.buzzer.map { device in
            try Self.open(board, "buzzer", device) {
                try SysfsPWMBuzzer(directory: device == BoardDescription.simulated ? parts.buzzer ?? device : device)
            }
        }
        var buses: [String: any I2CBus] = [:]
        for (index, bus) in board.buses.enumerated() {
            buses[bus.name] = try Self.open(board, "bus[\(index)]", bus.device) {
                try parts.buses[bus.name] ?? LinuxI2CBus(path: bus.device)
            }
        }
        self.buses = buses
        microphone = board.microphone.map { parts.microphone ?? PCMParameters(device: $0.device, rate: $0.rate) }
        serialPath = board.position.map { parts.position ?? $0.device }
        playback = try board.loudspeaker.map {
            try PCMPlayback(parts.loudspeaker ?? PCMParameters(device: $0.device, rate: $0.rate), clock: clock)
        }
    }

    /// The buttons, opened anew; given to the input thread. A GPIO line that is pressed connects to ground.
    public func buttons() throws -> [any ButtonSource] {
        let groups = Dictionary(grouping: board.buttons.enumerated(), by: \.element.device)
        return try groups.sorted { $0.key < $1.key }.map { device, members in
            try Self.open(board, "button[\(members.first?.offset ?? 0)]", device) {
                device.hasPrefix("/dev/gpiochip") ? try lines(device, members) : try keys(device, members)
            }
        }
    }

    /// Everything dark and silent.
    public func close() {
        for light in lights { light.close() }
        buzzer?.close()
        playback?.close()
    }

    private typealias Members = [EnumeratedSequence<[BoardDescription.Button]>.Element]

    private func keys(_ device: String, _ members: Members) throws -> any ButtonSource {
        let path = device == BoardDescription.simulated ? parts.keys ?? device : device
        let keys = try EvdevKeys(path: path)
        return RenumberedButtons(
            EvdevButtons(keys, codes: members.map { UInt16($0.element.code) }), numbers: members.map(\.offset))
    }

    private func lines(_ device: String, _ members: Members) throws -> any ButtonSource {
        let buttons = try GPIOButtons(
            chip: device, lines: members.map { UInt32($0.element.code) }, bias: .pullUp, isActiveLow: true,
            debouncePeriod: .milliseconds(20))
        return RenumberedButtons(buttons, numbers: members.map(\.offset))
    }

    private static func open<Device>(
        _ board: BoardDescription, _ path: String, _ device: String, _ body: () throws -> Device
    ) throws -> Device {
        do { return try body() } catch {
            throw ConfigError(
                file: board.file, path: path, line: board.line(of: path),
                message: "\(device) cannot be opened: \(error); check the wiring, the overlay and the user's groups")
        }
    }
}

/// Buttons of one device with their numbers on the whole panel.
final class RenumberedButtons: ButtonSource {
    private let source: any ButtonSource
    private let numbers: [Int]

    init(_ source: any ButtonSource, numbers: [Int]) {
        self.source = source
        self.numbers = numbers
    }

    var descriptor: CInt { source.descriptor }
    var due: MonotonicTime? { source.due }
    func read() throws(SystemError) -> [ButtonEdge] { renumber(try source.read()) }
    func settle(at now: MonotonicTime) -> [ButtonEdge] { renumber(source.settle(at: now)) }

    private func renumber(_ edges: [ButtonEdge]) -> [ButtonEdge] {
        edges.compactMap { edge in
            numbers.indices.contains(edge.button)
                ? ButtonEdge(button: numbers[edge.button], isPressed: edge.isPressed, time: edge.time) : nil
        }
    }
}
