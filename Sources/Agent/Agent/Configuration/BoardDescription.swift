// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// What a board file says of the hardware: buses, chips, a receiver, and with `BoardPanelParts.swift`,
/// `BoardSoundParts.swift` and `BoardWorld.swift` all other parts. `boards/README.md` teaches how to write one.
package struct BoardDescription: Sendable, Hashable {
    package struct Bus: Sendable, Hashable {
        /// The name by which chips refer to it.
        package let name: String
        /// `/dev/i2c-1`, or `simulated`.
        package let device: String
    }
    package struct Chip: Sendable, Hashable {
        /// The catalogue's name: `LIS3DH`.
        package let type: String
        package let bus: String
        /// 7-bit address.
        package let address: UInt8
        /// How it is mounted; nil = its axes are the board's.
        package let mounting: MountingMatrix?
        /// The GPIO line that its interrupt pin is wired to; nil = it is polled at its pace.
        package let interrupt: InterruptWire?
        /// Where the file has it, for messages.
        package let path: String
    }
    /// A line of a GPIO chip, `/dev/gpiochip0:25`.
    package struct InterruptWire: Sendable, Hashable {
        /// `/dev/gpiochip0`, or `gpio:LABEL`.
        package let chip: String
        /// Its offset on the chip.
        package let line: UInt32

        /// As any other line; nil for a chip that has no name.
        var name: GPIOLineName? { try? GPIOLineName(parsing: "\(chip):\(line)") }
    }
    /// A chip or device that a kernel driver reads: any IIO accelerometer, gyroscope
    /// or magnetometer.
    package struct KernelChip: Sendable, Hashable {
        /// The kernel's name of it, as in /sys/bus/iio/devices/iio:deviceN/name, or `iio:deviceN`.
        package let device: String
        package let mounting: MountingMatrix?
        package let path: String
    }
    /// A GPS receiver on a serial line.
    package struct Position: Sendable, Hashable {
        /// `/dev/serial0`, or `simulated`.
        package let device: String
        /// Bits per second; 9600 unless the file says otherwise.
        package let baud: Int
    }

    package let name: String
    package let file: String
    /// I2C, in the order of the file; chips refer to them by name.
    package let buses: [Bus]
    /// In the order of the file; each on one of `buses`.
    package let chips: [Chip]
    /// In the order of the file: those of the type `IIO`.
    package let kernelChips: [KernelChip]
    /// True where a chip measures acceleration, or may: what a kernel driver's chip measures only the kernel knows.
    var measuresAcceleration: Bool {
        !kernelChips.isEmpty || chips.contains { (try? $0.entry())?.kinds.contains(.accelerometer) == true }
    }
    /// 1 to 16; edges name them by their position here.
    package let buttons: [Button]
    /// In the order of the file; may be empty where there is a buzzer, a vibration motor or a loudspeaker.
    package let lights: [Light]
    /// Nil = the board has none; so for `vibration` and `position`.
    package let buzzer: Buzzer?
    package let vibration: Vibration?
    /// Nil = no sound is measured, and free text cannot be spoken.
    package let microphone: Microphone?
    /// Nil = texts are not spoken.
    package let loudspeaker: Loudspeaker?
    package let position: Position?
    /// What the kernel measures when it is asked: `battery`, `light`, `compass`.
    package let readings: Set<String>
    /// The letters that free text is chosen from; empty = those of English, nil =
    /// free text is spoken.
    package let letters: String?
    /// How many buttons lie in a row; nil = as in the largest square that they make.
    package let columns: Int?
    /// A span test may be played with shorter sequences than its study asks for.
    package let capsSpans: Bool
    /// nil on a real board.
    package let world: World?
    private let source: ConfigSource

    /// What can be written where a board is named: one of studyd's, where they are installed, or `own`.
    package static func choice(of names: [String], or own: String) -> String {
        (names.isEmpty ? "" : "one of \(names.joined(separator: ", ")), or ") + own
    }

    /// Where the file has a key path such as `bus[0].device`, for messages.
    package func line(of path: String) -> Int? { source.line(of: path) }
    /// Where the file names a part, for messages: `board.toml:12: light[0]`.
    func place(of path: String) -> String {
        line(of: path).map { "\(file):\($0): \(path)" } ?? "\(file): \(path)"
    }

    /// True when parts may be `simulated`: `BoardRules` refuses that without a `[world]`.
    package var isSimulated: Bool { world != nil }
}

extension BoardDescription {
    package static let simulated = "simulated"

    /// Reads the board file at that path.
    package init(at path: String) throws { try self.init(parsing: BoundedFile.text(path), file: path) }

    /// Reads a board file's text; every complaint names file, key and line.
    package init(parsing text: String, file: String) throws {
        let root = try ConfigSource.parse(text, file: file)
        name = try root.required("name", root.string("name"))
        self.file = file
        buses = try root.tables("bus").map(Bus.init)
        let names = buses.map(\.name)
        let tables = try root.tables("chip")
        chips = try tables.filter { try !KernelChip.isOne($0) }.map { try Chip($0, buses: names) }
        kernelChips = try tables.filter { try KernelChip.isOne($0) }.map(KernelChip.init)
        buttons = try root.tables("button").map(Button.init)
        lights = try root.tables("light").map(Light.init)
        buzzer = try root.table("buzzer").map(Buzzer.init)
        vibration = try root.table("vibration").map { try Vibration($0, buses: names) }
        microphone = try root.table("microphone").map(Microphone.init)
        loudspeaker = try root.table("loudspeaker").map(Loudspeaker.init)
        position = try root.table("position").map(Position.init)
        let asked = try root.table("readings")
        readings = Set(try ["battery", "light", "compass"].filter { try asked?.boolean($0) ?? false })
        let panel = try root.table("panel")
        letters = try panel.flatMap(Self.letters)
        columns = try panel.flatMap { try $0.integer("columns", in: 1...16) }
        capsSpans = try panel.flatMap { try $0.boolean("cap_span") } ?? false
        world = try root.table("world").map(World.init)
        source = root.source
        try root.rejectUnknownKeys()
        try BoardRules(root: root, simulates: world != nil).check(self)
        guard (1...16).contains(buttons.count) else {
            throw root.error("button", "a board needs 1 to 16 [[button]] tables, found \(buttons.count)")
        }
        guard !lights.isEmpty || buzzer != nil || vibration != nil || loudspeaker != nil else {
            throw root.error(
                "light", "a board needs at least one [[light]], a [buzzer], a [vibration] or a [loudspeaker]")
        }
    }

    /// `letters = true`, and in `alphabet` other letters than those of English.
    private static func letters(_ table: ConfigTable) throws -> String? {
        let alphabet = try table.string("alphabet")
        if try table.boolean("letters") ?? false { return alphabet ?? "" }
        if alphabet != nil { throw table.error("alphabet", "only has an effect together with letters = true") }
        return nil
    }
}

extension BoardDescription.Bus {
    init(_ table: ConfigTable) throws {
        name = try table.required("name", table.string("name"))
        device = try table.required("device", table.deviceFile("device", like: "/dev/i2c-1"))
    }
}

extension BoardDescription.Chip {
    init(_ table: ConfigTable, buses: [String]) throws {
        type = try table.required("type", table.string("type"))
        bus = try table.required("bus", table.string("bus"))
        address = try table.required("address", table.address("address"))
        mounting = try table.mounting("matrix")
        interrupt = try table.string("interrupt").map { text in
            guard let wire = BoardDescription.InterruptWire(text) else {
                throw table.error("interrupt", "'\(text)' is not a GPIO line; use e.g. /dev/gpiochip0:25")
            }
            return wire
        }
        path = table.path
        try table.checkBus(bus, isOneOf: buses)
    }
}

extension BoardDescription.InterruptWire {
    /// Nil for what is no chip and offset.
    init?(_ text: String) {
        guard let name = try? GPIOLineName(parsing: PartSpelling.plain(text)), !name.isActiveLow,
            case .offset(let line, let chip) = name.place
        else { return nil }
        self.init(chip: chip.description, line: line)
    }
}

extension BoardDescription.KernelChip {
    /// The `type` of any of them.
    private static let type = "IIO"

    static func isOne(_ table: ConfigTable) throws -> Bool { try table.string("type") == type }

    init(_ table: ConfigTable) throws {
        device = try table.required("device", table.string("device"))
        mounting = try table.mounting("matrix")
        path = table.path
    }
}

extension BoardDescription.Position {
    init(_ table: ConfigTable) throws {
        device = try table.required("device", table.deviceFile("device", like: "/dev/serial0"))
        baud = try table.integer("baud", in: 1200...921_600) ?? 9600
    }
}
