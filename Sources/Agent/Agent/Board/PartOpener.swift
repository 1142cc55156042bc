// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Opens a board's parts one by one. A device has no `name` only where the part is simulated, with its
/// file in `parts`. A part that cannot be opened is named with file, key, line and remedy.
struct PartOpener: Sendable {
    let board: BoardDescription
    let parts: SimulatedParts

    /// The light at that place of the file, dark.
    func light(_ index: Int) throws -> any Indicator {
        let light = board.lights[index]
        return try open("light[\(index)]", "\(light.device)") {
            try light.device.name?.open() ?? SysfsLED(directory: parts.lights[light.name] ?? "\(light.device)")
        }
    }

    /// The buzzer, silent; nil where the board has none.
    func buzzer() throws -> (any Buzzer)? {
        guard let device = board.buzzer?.device else { return nil }
        return try open("buzzer", "\(device)") {
            try device.name?.open() ?? SysfsPWMBuzzer(directory: parts.buzzer ?? "\(device)")
        }
    }

    /// The motor, switched off; nil where the board has none. Its driver gets a separate bus
    /// handle, since a handle belongs to one thread.
    func vibration() throws -> (any Buzzer)? {
        guard let vibration = board.vibration else { return nil }
        switch vibration.drive {
        case .line(let device):
            return try open("vibration", "\(device)") {
                guard let line = device.name else {  // Simulated.
                    return try SysfsPWMBuzzer(directory: parts.vibration ?? "\(device)")
                }
                return LineBuzzer(try line.output())
            }
        case .chip(let name, let bus, let address):
            return try open("vibration", "\(name) at \(hexadecimal(address)) of bus '\(bus)'") {
                guard let index = board.buses.firstIndex(where: { $0.name == bus }) else { return nil }
                return try DRV2605L(
                    bus: try self.bus(index), busName: bus, motor: vibration.motor == .lra ? .resonant : .rotating)
            }
        }
    }

    func bus(_ index: Int) throws -> any I2CBus {
        let bus = board.buses[index]
        return try open("bus[\(index)]", bus.device) { try parts.buses[bus.name] ?? LinuxI2CBus(path: bus.device) }
    }

    /// How the microphone is opened; nil where the board has none.
    var microphone: PCMParameters? { board.microphone.map { parts.microphone ?? PCMParameters($0) } }
    /// How the loudspeaker is opened; nil where the board has none.
    var loudspeaker: PCMParameters? {
        board.loudspeaker.map { parts.loudspeaker ?? PCMParameters(device: $0.device, rate: $0.rate) }
    }
    /// Where the position comes from; nil where the board has no receiver.
    var serialPath: String? { board.position.map { parts.position ?? $0.device } }

    static let advice = "check the wiring, the overlay and the user's groups"

    /// Runs `body`; what it throws is named with the part's place in the board file.
    func open<Device>(_ path: String, _ device: String, _ body: () throws -> Device) throws -> Device {
        do { return try body() } catch let error as ConfigError {
            throw error
        } catch {
            throw ConfigError(
                file: board.file, path: path, line: board.line(of: path),
                cause: "\(device) cannot be opened: \(Explanation(error).finding)", remedy: Explanation(error).remedy,
                advice: Self.advice)
        }
    }
}

extension PCMParameters {
    init(_ microphone: BoardDescription.Microphone) {
        self.init(
            device: microphone.device, rate: microphone.rate, channels: microphone.channels,
            channel: microphone.slot == .right ? 1 : 0, format: microphone.format, validBits: microphone.validBits,
            highPass: microphone.highPass, settling: microphone.settling)
    }
}
