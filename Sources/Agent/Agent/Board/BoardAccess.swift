// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc

/// The devices that a board names, and no others: as rules for udev, and as a drop-in of the
/// service's unit, both made by `studyd udev`. Links and labels are looked up by `present`, or by what a test
/// gives; the rest is pure.
///
/// The shipped rules open whole classes of devices (every input device, every sound card), because
/// the board is not known yet. With these two files the service's user can open only what the board
/// file names; a keyboard or a camera beside it stays closed to the agent.
package struct BoardAccess: Sendable {
    /// A device as udev knows it.
    struct Device: Sendable, Hashable {
        /// What the rule asks for: `SUBSYSTEM=="i2c-dev", KERNEL=="i2c-1"`.
        let match: String
        /// Names that the device gets: `SYMLINK+="i2c-usb"`.
        let link: String?
        /// A node in /dev is given to the group.
        let hasNode: Bool
        /// Its files in sysfs are given to the group.
        let hasFolder: Bool
        /// The kernel's major numbers or names of drivers (admin-guide/devices.txt, /proc/devices), as the unit's
        /// `DeviceAllow` takes them: `char-89` is I2C.
        let numbers: [String]
    }

    static let group = "studyd"
    private let board: String
    private let devices: [Device]
    /// What could not be named more closely, and why.
    package let remarks: [String]

    /// `resolve` gives the device file behind a link, a label or the name of a line on this
    /// machine; nil where there is none.
    package init(_ board: BoardDescription, resolve: @escaping (String) -> String?) throws {
        var collector = Collector(resolve: resolve)
        for bus in board.buses where bus.device != BoardDescription.simulated { try collector.addBus(bus.device) }
        for chip in board.chips { if let line = chip.interrupt?.name { try collector.add(line) } }
        for chip in board.kernelChips { try collector.addKernelChip(chip.device) }
        for button in board.buttons {
            switch button.source {
            case .simulated: break
            case .line(let line): try collector.add(line)
            case .key(let device): try collector.add(device)
            }
        }
        for light in board.lights { for part in light.device.name?.parts ?? [] { try collector.add(part) } }
        switch board.buzzer?.device.name {
        case .channel(let path)?: try collector.addChannel(path)
        case .line(let line)?: try collector.add(line)
        case nil: break
        }
        if let line = board.vibration?.device?.name { try collector.add(line) }
        for name in [board.microphone?.device, board.loudspeaker?.device].compactMap(\.self) {
            try collector.addSound(name)
        }
        if let device = board.position?.device, device != BoardDescription.simulated { try collector.addSerial(device) }
        (self.board, devices, remarks) = (board.name, collector.devices, collector.remarks)
    }

    /// The device behind a link, a label or the name of a line on this machine; nil where it is
    /// missing. Opens GPIO chips to read the names of their lines.
    package static func present(_ name: String) -> String? {
        if let line = try? GPIOLineName(parsing: name) { return (try? line.resolve())?.chip }
        guard let real = realpath(name, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// The text of `/etc/udev/rules.d/70-studyd.rules`, which overrides the shipped file of the
    /// same name (udev(7)).
    package var rules: String {
        let head = [
            "The devices of the board '\(board)' and no others, for the group \(Self.group). Made by 'studyd udev'; it replaces the shipped file of",
            "the same name, which gives access to whole classes of devices.",
        ]
        return ((head + remarks).map(Self.comment) + devices.flatMap(\.lines)).joined(separator: "\n") + "\n"
    }

    /// True for a rule file of studyd with another name, which `rules` therefore does not override.
    package static func isOther(_ file: String) -> Bool {
        file.hasSuffix("-studyd.rules") && file != "70-studyd.rules"
    }

    /// The text of `/etc/systemd/system/studyd.service.d/board.conf`.
    package var unit: String {
        var numbers: [String] = []
        for number in devices.flatMap(\.numbers) where !numbers.contains(number) { numbers.append(number) }
        let head = [
            Self.comment(
                "For the board '\(board)', made by 'studyd udev': only its own group, and only the kinds of devices that the board has."
            ),
            "[Service]", "SupplementaryGroups=", "DeviceAllow=",
        ]
        return (head + numbers.map { "DeviceAllow=\($0) rw" }).joined(separator: "\n") + "\n"
    }

    /// One line, whatever a board file has in its names.
    private static func comment(_ text: String) -> String { "# " + text.oneLine(1000) }

    /// The text of `/etc/sysusers.d/studyd.conf`, which overrides the shipped file of the same name
    /// (sysusers.d(5)): a user in no device group.
    package static let users = """
        # Made by 'studyd udev': the devices of the board belong to the user's own group.
        u studyd - "Health study agent" /var/lib/studyd

        """
}

extension BoardAccess.Device {
    /// Its rules. The tag lets `udevadm info` and `udevadm trigger` name them.
    fileprivate var lines: [String] {
        let given =
            "\(match)\(link.map { ", SYMLINK+=\"\($0)\"" } ?? "")"
            + (hasNode ? ", GROUP=\"\(BoardAccess.group)\", MODE=\"0660\"" : "") + ", TAG+=\"studyd\""
        let folder =
            "\(match), ACTION==\"add|change\", RUN+=\"/bin/chgrp -R \(BoardAccess.group) /sys%p\", RUN+=\"/bin/chmod -R g=u /sys%p\""
        return [given] + (hasFolder ? [folder] : [])
    }
}

/// A device that cannot be named in a rule.
package struct UnnameableDevice: Error, Sendable, Hashable, CustomStringConvertible {
    /// As the board file has it.
    package let name: String

    package var description: String {
        "the device '\(name)' cannot be used in a udev rule: it contains a quotation mark or control character; name the device by its path or number"
    }
}

/// Gathers the devices of a board, each once.
private struct Collector {
    let resolve: (String) -> String?
    var devices: [BoardAccess.Device] = []
    var remarks: [String] = []

    mutating func addBus(_ path: String) throws {
        if path == "/dev/i2c-usb" {
            // The same link as in the shipped rules, which this file replaces.
            let match = "SUBSYSTEM==\"i2c-dev\", ATTR{name}==\"i2c-tiny-usb*\""
            return put(match, link: "i2c-usb", numbers: ["char-89"])
        }
        put(try node("i2c-dev", path), numbers: ["char-89"])
    }

    /// A chip named by its label, or by one of its lines, is looked up now: udev knows neither.
    mutating func add(_ line: GPIOLineName) throws {
        let numbers = ["char-gpiochip"]
        if case .offset(_, let chip) = line.place, case .path(let path) = chip.place {
            return put(try node("gpio", path), numbers: numbers)
        }
        let found = try resolve(line.description).map { try node("gpio", $0) }
        if found == nil {
            let chip = if case .offset(_, let chip) = line.place { "the chip \(chip)" } else { "the chip of \(line)" }
            remark("\(chip) was not found: access to every GPIO chip is given")
        }
        put(found ?? "SUBSYSTEM==\"gpio\", KERNEL==\"gpiochip*\"", numbers: numbers)
    }

    mutating func add(_ device: InputDeviceName) throws {
        let match =
            switch device.place {
            case .path(let path): try node("input", path)
            case .named(let name):
                "SUBSYSTEM==\"input\", KERNEL==\"event*\", ATTRS{name}==\"\(try pattern(name))\""
            }
        put(match, numbers: ["char-13"])
    }

    mutating func add(_ part: LightName.Part) throws {
        switch part {
        case .line(let line): try add(line)
        case .folder(let path):
            put("SUBSYSTEM==\"leds\", KERNEL==\"\(try pattern(last(path)))\"", hasNode: false, hasFolder: true)
        case .pixels(let name):
            let isNumber = name.device.hasPrefix("fb") && name.device.dropFirst(2).allSatisfy(\.isNumber)
            let key = isNumber ? "KERNEL" : "KERNEL==\"fb*\", ATTR{name}"
            put("SUBSYSTEM==\"graphics\", \(key)==\"\(try pattern(name.device))\"", numbers: ["char-29"])
        }
    }

    mutating func addChannel(_ path: String) throws {
        let named = path.split(separator: "/").last { $0.hasPrefix("pwmchip") }
        let chip = try named.map { try pattern(String($0)) } ?? "pwmchip*"
        put("SUBSYSTEM==\"pwm\", KERNEL==\"\(chip)\"", hasNode: false, hasFolder: true)
    }

    mutating func addKernelChip(_ name: String) throws {
        let key = name.hasPrefix("iio:device") ? "KERNEL" : "ATTR{name}"
        put("SUBSYSTEM==\"iio\", \(key)==\"\(try pattern(name))\"", hasFolder: true, numbers: ["char-iio"])
    }

    /// `hw:1,0`, `plughw:CARD=seeed,DEV=0`, `hw:Loopback,1,0`: the card's number or its id, which
    /// is an attribute of the card in sysfs.
    mutating func addSound(_ name: String) throws {
        guard name != BoardDescription.simulated else { return }
        let parts = name.split(separator: ":", maxSplits: 1)
        let first = parts.count == 2 ? parts[1].split(separator: ",").first.map(String.init) : nil
        let card = first.map { $0.hasPrefix("CARD=") ? String($0.dropFirst(5)) : $0 }
        let numbers = ["char-116"]  // ALSA
        guard let card, parts[0].hasSuffix("hw") else {
            remark("\(name) does not name a card: access to every sound card is given")
            return put("SUBSYSTEM==\"sound\"", numbers: numbers)
        }
        let match =
            Int(card) != nil
            ? "KERNEL==\"controlC\(card)|pcmC\(card)D*\""
            : "KERNEL==\"controlC*|pcmC*\", ATTRS{id}==\"\(try pattern(card))\""
        put("SUBSYSTEM==\"sound\", \(match)", numbers: numbers)
    }

    mutating func addSerial(_ path: String) throws {
        // ttyS, ttyAMA, ttymxc, ttyACM, ttyUSB.
        put(try node("tty", path), numbers: ["char-4", "char-204", "char-207", "char-166", "char-188"])
    }

    /// The match for the node at that path, or for what a link there leads to on this machine. Links that
    /// udev's own, earlier rules make are matched by name: their nodes may have other numbers after the next boot.
    private mutating func node(_ subsystem: String, _ path: String) throws -> String {
        if ["/dev/input/by-", "/dev/serial/by-"].contains(where: { path.hasPrefix($0) }) {
            return "SUBSYSTEM==\"\(subsystem)\", SYMLINK==\"\(try pattern(String(path.dropFirst(5))))\""
        }
        let target = resolve(path) ?? path
        if target == path, resolve(path) == nil {
            remark("\(path) not found: if it is a link, run 'studyd udev' again on the device")
        }
        return "SUBSYSTEM==\"\(subsystem)\", KERNEL==\"\(try pattern(last(target)))\""
    }

    private func last(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// A value that udev compares as a pattern: characters with a meaning in patterns become `?`.
    private func pattern(_ text: String) throws -> String {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x22 && $0 != 0x5C }) else {
            throw UnnameableDevice(name: text)
        }
        return String(text.map { "*?[]|".contains($0) ? "?" : $0 })
    }

    private mutating func put(
        _ match: String, link: String? = nil, hasNode: Bool = true, hasFolder: Bool = false, numbers: [String] = []
    ) {
        let device = BoardAccess.Device(
            match: match, link: link, hasNode: hasNode, hasFolder: hasFolder, numbers: numbers)
        if !devices.contains(device) { devices.append(device) }
    }

    private mutating func remark(_ text: String) { if !remarks.contains(text) { remarks.append(text) } }
}
