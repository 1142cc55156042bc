// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What a participant touches, sees, hears and feels.
extension BoardDescription {
    /// A button: a GPIO line, or a key of an input device.
    package struct Button: Sendable, Hashable {
        package enum Source: Sendable, Hashable {
            /// Replaced by a simulated key of that code.
            case simulated
            case line(GPIOLineName)
            case key(InputDeviceName)
        }
        /// Printed on the card sheet: `previous`, `red`.
        package let name: String
        package let source: Source
        /// Key code of linux/input-event-codes.h; 0 for a line.
        package let code: Int
        /// The key of a terminal that plays this button in `studyd-tools demo`.
        package let terminalKey: String
        /// Pressed means 0 V; true for a line unless the file says otherwise, of no
        /// meaning for a key.
        package let isActiveLow: Bool
        /// What pulls the line while the button is up; without meaning for a key.
        package let bias: GPIOLines.Bias
        /// The key of the task that it opens, and for which alone it is there; nil = it answers.
        package let task: String?
        /// It notes events, and does nothing else.
        package let isMarker: Bool
        /// It is one of those that answer.
        package var isOrdinary: Bool { task == nil && !isMarker }

        /// As it is written in a board file.
        package var device: String {
            switch source {
            case .simulated: BoardDescription.simulated
            case .line(let line): line.description
            case .key(let device): device.description
            }
        }
    }
    package struct Light: Sendable, Hashable {
        /// Its name on the panel; with simulated parts also the key of its folder.
        package let name: String
        package let device: PartDevice<LightName>
        package let isRGB: Bool
        /// The name of the button it belongs to; nil = an indicator by itself.
        package let button: String?
    }
    package struct Buzzer: Sendable, Hashable {
        /// The folder of a PWM channel, which sets the pitch, or the line of a buzzer with a
        /// built-in oscillator.
        package let device: PartDevice<BuzzerName>
    }
    /// A motor that shakes the device.
    package struct Vibration: Sendable, Hashable {
        package enum Drive: Sendable, Hashable {
            /// A transistor on a line.
            case line(PartDevice<GPIOLineName>)
            /// A haptic driver on the bus of that name: chip, bus and 7-bit address.
            case chip(String, bus: String, address: UInt8)
        }
        /// Which kind of motor it is; the raw value is the `motor` of board files.
        package enum Motor: String, Sendable, CaseIterable {
            /// An eccentric mass on a DC motor.
            case erm
            /// A linear resonant actuator.
            case lra
        }
        package let drive: Drive
        /// Which kind of motor it is; of no meaning on a line.
        package let motor: Motor

        /// The line; nil with a haptic driver.
        package var device: PartDevice<GPIOLineName>? {
            if case .line(let device) = drive { device } else { nil }
        }
    }
}

extension BoardDescription.Button {
    init(_ table: ConfigTable) throws {
        name = try table.required("name", table.string("name"))
        source = try Self.source(table)
        terminalKey = try table.string("terminal_key") ?? ""
        task = try table.string("task")
        isMarker = try table.boolean("marker") ?? false
        if let task, task.isEmpty || isMarker {
            throw table.error(
                "task", isMarker ? "cannot be used together with 'marker'" : "is empty",
                remedy: "a button does one thing: use either, or neither")
        }
        let isLow = try table.boolean("active_low")
        let pull = try table.choice("bias", GPIOLines.Bias.self)
        if case .line(let line) = source {
            code = 0
            isActiveLow = isLow ?? true
            bias = pull ?? (isActiveLow ? .pullUp : .pullDown)
            if line.isActiveLow {
                throw table.error(
                    "device", "remove ':active-low'", remedy: "buttons are active low unless active_low = false")
            }
        } else {
            if let key = isLow != nil ? "active_low" : pull != nil ? "bias" : nil {
                throw table.error(key, "applies to GPIO lines only, and this button is a key", remedy: "remove it")
            }
            code = try table.required("code", table.integer("code", in: 0...0x2FF))
            (isActiveLow, bias) = (false, .asIs)
        }
    }

    /// `/dev/gpiochip0:17`, or the chip in `device` and the line in `code`.
    private static func source(_ table: ConfigTable) throws -> Source {
        let device = try table.required("device", table.string("device"))
        if device == BoardDescription.simulated { return .simulated }
        let name = PartSpelling.plain(device)
        if let line = try? GPIOLineName(parsing: name) {
            guard try table.integer("code", in: 0...0x2FF) == nil else {
                throw table.error("code", "'\(device)' already names the line", remedy: "remove it")
            }
            return .line(line)
        }
        if name.hasPrefix("/dev/gpiochip") || name.hasPrefix("gpio") {
            let offset = try table.integer("code", in: 0...0x2FF)
            return .line(try line(offset.map { "\(name):\($0)" } ?? name, table))
        }
        do throws(DeviceNameError) { return .key(try InputDeviceName(parsing: name)) } catch {
            throw table.error("device", error, remedy: "or a line such as /dev/gpiochip0:17 or gpio:LABEL:17")
        }
    }

    private static func line(_ name: String, _ table: ConfigTable) throws -> GPIOLineName {
        do throws(DeviceNameError) { return try GPIOLineName(parsing: name) } catch {
            throw table.error("device", error)
        }
    }
}

extension BoardDescription.Light {
    init(_ table: ConfigTable) throws {
        name = try table.required("name", table.string("name"))
        device = try table.required("device", table.part("device", LightName.init(parsing:)))
        let asked = try table.boolean("rgb")
        if asked == true, device.lines.count == 1 {
            throw table.error(
                "rgb", "a single line has no colours",
                remedy: "name three lines for red, green and blue, joined by ' + '")
        }
        isRGB = asked ?? device.hasColours
        button = try table.string("button")
    }
}

extension BoardDescription.Buzzer {
    init(_ table: ConfigTable) throws {
        device = try table.required("device", table.part("device", BuzzerName.init(parsing:)))
    }
}

extension BoardDescription.Vibration {
    init(_ table: ConfigTable, buses: [String]) throws {
        let line = try table.part("device", GPIOLineName.init(parsing:))
        let chip = try table.string("chip")
        motor = try table.choice("motor", Motor.self) ?? .erm
        switch (line, chip) {
        case (let line?, nil): drive = .line(line)
        case (nil, let chip?): drive = try Self.chip(chip, table, buses)
        case (.some, .some):
            throw table.error("chip", "cannot be used together with 'device'", remedy: "use one of them")
        case (nil, nil): throw table.error("device", "is missing", remedy: "name a line, or a chip and its bus")
        }
    }

    /// DRV2605 and DRV2605L have one address and one register map.
    private static func chip(_ chip: String, _ table: ConfigTable, _ buses: [String]) throws -> Drive {
        guard ["drv2605", "drv2605l"].contains(chip.lowercased()) else {
            throw table.error("chip", "unknown haptic driver \"\(chip)\"", remedy: "known: DRV2605L")
        }
        let bus = try table.required("bus", table.string("bus"))
        try table.checkBus(bus, isOneOf: buses)
        let address = try table.address("address") ?? 0x5A
        guard address == 0x5A else {
            throw table.error(
                "address", "DRV2605L cannot have address \(hexadecimal(address))", remedy: "use \(hexadecimal(0x5A))")
        }
        return .chip("DRV2605L", bus: bus, address: address)
    }
}
