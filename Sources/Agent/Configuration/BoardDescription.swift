// SPDX-License-Identifier: Apache-2.0
import Hardware
import Sensors
import Times

/// What a board file says: buses, chips, lines. No code; `boards/README.md` teaches how to write one.
public struct BoardDescription: Sendable, Hashable {
    /// An I2C bus.
    public struct Bus: Sendable, Hashable {
        /// The name by which chips refer to it.
        public let name: String
        /// `/dev/i2c-1`, or `simulated`.
        public let device: String
    }
    /// A chip on a bus.
    public struct Chip: Sendable, Hashable {
        /// The catalogue's name: `LIS3DH`.
        public let type: String
        /// The name of its bus.
        public let bus: String
        /// 7-bit address.
        public let address: UInt8
        /// How it is mounted; nil = its axes are the board's.
        public let mounting: MountingMatrix?
        /// The GPIO line that its interrupt pin is wired to; nil = it is asked when its pace says so.
        public let interrupt: InterruptWire?
        /// Where the file says so, for messages.
        public let path: String
        /// Line of the file, from 1; nil where it could not be told.
        public let line: Int?
    }
    /// A line of a GPIO chip, `/dev/gpiochip0:25`.
    public struct InterruptWire: Sendable, Hashable {
        /// `/dev/gpiochip0`, or `gpio:LABEL`.
        public let chip: String
        /// Its offset on the chip.
        public let line: UInt32

        /// As any other line; nil for a chip that has no name.
        var name: GPIOLineName? { try? GPIOLineName(parsing: "\(chip):\(line)") }
    }
    /// A chip or device that a kernel driver reads: any IIO accelerometer, gyroscope or magnetometer.
    public struct KernelChip: Sendable, Hashable {
        /// The kernel's name of it, as in /sys/bus/iio/devices/iio:deviceN/name, or `iio:deviceN`.
        public let device: String
        /// How it is mounted; nil = its axes are the board's.
        public let mounting: MountingMatrix?
        /// Where the file says so, for messages.
        public let path: String
        /// Line of the file, from 1; nil where it could not be told.
        public let line: Int?
    }
    /// A GPS receiver on a serial line.
    public struct Position: Sendable, Hashable {
        /// `/dev/serial0`, or `simulated`.
        public let device: String
        /// Bits per second; 9600 unless the file says otherwise.
        public let baud: Int
    }
    /// What moves the simulated parts.
    public struct World: Sendable, Hashable {
        /// The script: `walk 60s; rest 30s`.
        public let script: String
        /// A CWA file to be replayed as motion; nil = the script alone.
        public let motion: String?
        /// An NMEA log to be played; nil = a short built-in one.
        public let nmea: String?
        /// Seed of the noise.
        public let seed: Int
        /// Who presses the simulated buttons in `studyd run`, a participant file; nil = nobody.
        public let participant: String?
        /// What that participant does from rest, in turn: the key of a task to be opened, or `leave`.
        public let wishes: [String]
        /// Chips that do not answer for a while.
        public let silences: [Silence]
        /// Chips that stand where the board file names others.
        public let substitutes: [Substitute]
    }
    /// Another simulated chip than the one that the board file names: a wrong part on the board.
    public struct Substitute: Sendable, Hashable {
        /// 7-bit address.
        public let address: UInt8
        /// The name of the chip that is really there.
        public let type: String
    }
    /// A simulated chip that does not answer for a while.
    public struct Silence: Sendable, Hashable {
        /// 7-bit address of the chip.
        public let address: UInt8
        /// Both from the start of the agent.
        public let from: Duration
        /// From the start of the agent; after `from`.
        public let until: Duration
    }

    /// The board's own name, for people.
    public let name: String
    /// The file it was read from, for messages.
    public let file: String
    /// I2C, in the order of the file; chips refer to them by name.
    public let buses: [Bus]
    /// In the order of the file; each on one of `buses`.
    public let chips: [Chip]
    /// In the order of the file: those of the type `IIO`.
    public let kernelChips: [KernelChip]
    /// 1 to 16; edges name them by their position here.
    public let buttons: [Button]
    /// In the order of the file; empty where there is a buzzer or a loudspeaker.
    public let lights: [Light]
    /// Nil = no buzzer.
    public let buzzer: Buzzer?
    /// Nil = nothing shakes.
    public let vibration: Vibration?
    /// Nil = no sound is measured, and free text cannot be spoken.
    public let microphone: Microphone?
    /// Nil = texts are not spoken.
    public let loudspeaker: Loudspeaker?
    /// Nil = no GPS receiver.
    public let position: Position?
    /// The letters that free text is chosen from; empty = those of English, nil = free text is spoken.
    public let letters: String?
    /// How many buttons lie in a row; nil = as in the largest square that they make.
    public let columns: Int?
    /// A span test may be played with shorter sequences than its study asks for.
    public let capsSpans: Bool
    /// nil on a real board.
    public let world: World?
    private let source: ConfigSource

    /// Where the file says what stands at a key path such as `bus[0].device`, for messages.
    func line(of path: String) -> Int? { source.line(of: path) }

    /// True when any part is `simulated`.
    public var isSimulated: Bool { world != nil }
}

extension BoardDescription {
    /// The device name that stands for a simulated part.
    public static let simulated = "simulated"

    /// Reads a board file's text; every complaint names file, key and line.
    public init(parsing text: String, file: String) throws {
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
        let panel = try root.table("panel")
        letters = try panel.flatMap(Self.letters)
        columns = try panel.flatMap { try $0.integer("columns", in: 1...16) }
        capsSpans = try panel.flatMap { try $0.boolean("cap_span") } ?? false
        world = try root.table("world").map(World.init)
        source = root.source
        try root.rejectUnknownKeys()
        try BoardRules(root, simulates: world != nil).check(self)
        guard (1...16).contains(buttons.count) else {
            throw root.error("button", "a board needs 1 to 16 [[button]] tables, found \(buttons.count)")
        }
        guard !lights.isEmpty || buzzer != nil || vibration != nil || loudspeaker != nil else {
            throw root.error(
                "light", "a board needs at least one [[light]], a [buzzer], a [vibration] or a [loudspeaker]")
        }
    }
}

extension BoardDescription {
    /// `letters = true`, and in `alphabet` other letters than those of English.
    private static func letters(_ table: ConfigTable) throws -> String? {
        let alphabet = try table.string("alphabet")
        if try table.boolean("letters") ?? false { return alphabet ?? "" }
        if alphabet != nil { throw table.error("alphabet", "is of use only beside letters = true") }
        return nil
    }
}

extension BoardDescription.Bus {
    init(_ table: ConfigTable) throws {
        name = try table.required("name", table.string("name"))
        device = try table.required("device", table.string("device"))
    }
}

extension BoardDescription.Chip {
    init(_ table: ConfigTable, buses: [String]) throws {
        type = try table.required("type", table.string("type"))
        bus = try table.required("bus", table.string("bus"))
        address = UInt8(try table.required("address", table.integer("address", in: 0x08...0x77)))
        mounting = try table.mounting("matrix")
        interrupt = try table.string("interrupt").map { text in
            guard let wire = BoardDescription.InterruptWire(text) else {
                throw table.error("interrupt", "'\(text)' is no GPIO line such as /dev/gpiochip0:25")
            }
            return wire
        }
        path = table.path
        line = table.source.line(of: table.path)
        guard buses.contains(bus) else {
            throw table.error(
                "bus", "no [[bus]] is named '\(bus)'", remedy: "there are: \(buses.joined(separator: ", "))")
        }
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
    /// The `type` that stands for any of them.
    static let type = "IIO"

    static func isOne(_ table: ConfigTable) throws -> Bool { try table.string("type") == type }

    init(_ table: ConfigTable) throws {
        device = try table.required("device", table.string("device"))
        mounting = try table.mounting("matrix")
        path = table.path
        line = table.source.line(of: table.path)
    }
}

extension BoardDescription.Position {
    init(_ table: ConfigTable) throws {
        device = try table.required("device", table.string("device"))
        baud = try table.integer("baud", in: 1200...921_600) ?? 9600
    }
}

extension BoardDescription.World {
    init(_ table: ConfigTable) throws {
        script = try table.string("script") ?? "walk 60s; rest 60s; still 60s"
        motion = try table.string("motion")
        nmea = try table.string("nmea")
        seed = try table.integer("seed", in: 0...Int(Int32.max)) ?? 1
        participant = try table.string("participant")
        wishes = (try table.string("wishes") ?? "").split(separator: ";").map { wish in
            wish.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        silences = try table.tables("silence").map(BoardDescription.Silence.init)
        substitutes = try table.tables("substitute").map(BoardDescription.Substitute.init)
    }
}

extension BoardDescription.Substitute {
    init(_ table: ConfigTable) throws {
        address = UInt8(try table.required("address", table.integer("address", in: 0x08...0x77)))
        type = try table.required("type", table.string("type"))
        do { _ = try Catalog.chip(named: type) } catch { throw table.error("type", "\(error)") }
    }
}

extension BoardDescription.Silence {
    init(_ table: ConfigTable) throws {
        address = UInt8(try table.required("address", table.integer("address", in: 0x08...0x77)))
        from = try Self.time("from", table) ?? .zero
        until = try table.required("until", Self.time("until", table))
        guard from < until else { throw table.error("until", "is not after 'from'") }
    }

    private static func time(_ key: String, _ table: ConfigTable) throws -> Duration? {
        try table.string(key).map { text in
            guard let time = try? Duration(parsing: text) else {
                throw table.error(key, "'\(text)' is no duration such as 8s")
            }
            return time
        }
    }
}
