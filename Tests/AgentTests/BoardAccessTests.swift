// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Agent

/// Of a device full of devices the agent gets those that its board names. Who judges is udev
/// itself, on devices that umockdev plays.
@Suite struct BoardAccessTests {
    private static let board = """
        name = "narrow"
        bus = [{ name = "motion", device = "/dev/i2c-1" }, { name = "usb", device = "/dev/i2c-usb" }]
        chip = [{ type = "LIS3DH", bus = "motion", address = 0x18, interrupt = "/dev/gpiochip0:25" },
            { type = "IIO", device = "lis3dh" }]
        button = [{ name = "select", device = "input:Raspberry Pi Sense HAT Joystick", code = 28 }]
        light = [{ name = "status", device = "/sys/class/leds/prompt" }, { name = "matrix", device = "fb:RPi-Sense FB" }]
        buzzer = { device = "/sys/class/pwm/pwmchip0/pwm0" }
        microphone = { device = "hw:CARD=sndrpigooglevoi", rate = 16000 }
        position = { device = "/dev/serial0" }
        """

    private static func access(_ text: String = board) throws -> BoardAccess {
        try BoardAccess(BoardDescription(parsing: text, file: "narrow.toml")) {
            ["/dev/serial0": "/dev/ttyAMA0", "/dev/i2c-1": "/dev/i2c-1", "/dev/gpiochip0": "/dev/gpiochip0"][$0]
        }
    }

    /// Subsystem, kernel's name, attributes, and whether the board above names it.
    private static let devices: [(subsystem: String, name: String, attributes: [String], isNamed: Bool)] = [
        ("i2c-dev", "i2c-1", ["name=bcm2835 (i2c@7e804000)"], true), ("i2c-dev", "i2c-2", ["name=hdmi"], false),
        ("i2c-dev", "i2c-7", ["name=i2c-tiny-usb at bus 001 device 004"], true),
        ("gpio", "gpiochip0", [], true), ("gpio", "gpiochip1", [], false),
        ("input", "event3", ["name=Raspberry Pi Sense HAT Joystick"], true),
        ("input", "event4", ["name=Logitech USB Keyboard"], false),
        ("graphics", "fb0", ["name=vc4drmfb"], false), ("graphics", "fb1", ["name=RPi-Sense FB"], true),
        ("leds", "prompt", [], true), ("leds", "ACT", [], false),
        ("pwm", "pwmchip0", ["npwm=2"], true), ("pwm", "pwmchip2", ["npwm=2"], false),
        ("iio", "iio:device0", ["name=lis3dh"], true), ("iio", "iio:device1", ["name=bme280"], false),
        ("sound", "pcmC1D0c", ["id=sndrpigooglevoi"], true), ("sound", "pcmC0D0c", ["id=Webcam"], false),
        ("tty", "ttyAMA0", [], true), ("tty", "ttyUSB0", [], false),
    ]

    /// The form of umockdev-run(1)'s device descriptions.
    private static var description: String {
        devices.map { device in
            let lines =
                ["P: /devices/platform/\(device.subsystem)/\(device.name)", "E: SUBSYSTEM=\(device.subsystem)"]
                + device.attributes.map { "A: \($0)" }
            return lines.joined(separator: "\n") + "\n\n"
        }.joined()
    }

    @Test(.timeLimit(.minutes(10))) func udevGivesWhatTheBoardNamesAndNothingElse() throws {
        guard
            Self.shell("command -v udevadm >/dev/null && command -v umockdev-run >/dev/null && unshare -m true").0 == 0
        else { return print("SKIPPED: udevadm and umockdev are not here, or mounts are not allowed") }
        try Self.inFolder { folder in
            try AtomicFile.write(Array(Self.access().rules.utf8), to: folder + "/70-studyd.rules")
            try AtomicFile.write(Array(Self.description.utf8), to: folder + "/devices")
            let (status, output) = Self.shell(
                "'\(AgentFixture.package)/Tests/mocks/udev-rules' '\(folder)/70-studyd.rules' '\(folder)/devices'")
            #expect(status == 0, "\(output)")
            #expect(!output.contains("Invalid") && !output.contains("ignoring"), "\(output)")
            for device in Self.devices {
                for action in ["add", "change"] {
                    let said = try #require(
                        output.firstRange(of: "== \(action) \(device.subsystem)/\(device.name)\n").map {
                            output[$0.upperBound...]
                        })
                    let own = said.split(separator: "\n").prefix { !$0.hasPrefix("==") }
                    let isGiven = own.contains { $0.hasPrefix("TAGS=") && $0.contains(":studyd:") }
                    #expect(isGiven == device.isNamed, "\(device.name): \(own)")
                    let folders = ["leds", "pwm", "iio"].contains(device.subsystem) && device.isNamed ? 2 : 0
                    #expect(
                        own.count { $0.hasPrefix("run: ") && $0.contains("studyd") || $0.hasPrefix("run: '/bin/chmod") }
                            == folders)
                }
            }
        }
    }

    /// Every node that is given, is given to the one group, for it and its owner alone.
    @Test func aNodeIsForTheGroupAlone() throws {
        let rules = try Self.access().rules.split(separator: "\n").filter { !$0.hasPrefix("#") }
        for rule in rules where rule.contains("GROUP=") {
            #expect(rule.contains(", GROUP=\"studyd\", MODE=\"0660\", TAG+=\"studyd\""), "\(rule)")
        }
        #expect(rules.count { $0.contains("GROUP=") } == 8, "\(rules)")
    }

    /// LEDs and PWM channels are files in sysfs, and have no node; a sensor behind a driver has both. At
    /// the kernel's word the files go to the group, once.
    @Test func filesInSysfsGoToTheGroup() throws {
        let board = Self.board.replacing(
            "/sys/class/leds/prompt\" }",
            with: "/sys/class/leds/prompt\" }, { name = \"second\", device = \"/sys/class/leds/other\" }")
        let rules = try Self.access(board).rules.split(separator: "\n").filter { !$0.hasPrefix("#") }
        for match in [
            #"SUBSYSTEM=="leds", KERNEL=="prompt""#, #"SUBSYSTEM=="leds", KERNEL=="other""#,
            #"SUBSYSTEM=="pwm", KERNEL=="pwmchip0""#, #"SUBSYSTEM=="iio", ATTR{name}=="lis3dh""#,
        ] {
            let own = rules.filter { $0.hasPrefix(match) }
            #expect(
                own.count == 2 && own.allSatisfy { $0.contains("GROUP=") == ($0 == own[0] && match.contains("iio")) })
            #expect(
                own.last?.contains("ACTION==\"add|change\", RUN+=\"/bin/chgrp -R studyd /sys%p\"") == true, "\(own)")
        }
        #expect(rules.count { $0.contains("RUN+=") } == 4, "\(rules)")
    }

    /// udev(7): SYMLINK matches a link that a rule before has set, as 60-persistent-input.rules and
    /// 60-serial.rules do. The numbers of event3 and ttyUSB0 are those of one boot.
    @Test func aLinkThatUdevMakesIsNamedByItself() throws {
        let links = ["/dev/input/by-path/platform-keys-event", "/dev/serial/by-id/usb-u-blox-if00-port0"]
        let text = Self.board.replacing("input:Raspberry Pi Sense HAT Joystick", with: links[0])
            .replacing("/dev/serial0", with: links[1])
        let access = try BoardAccess(BoardDescription(parsing: text, file: "narrow.toml")) {
            [links[0]: "/dev/input/event3", links[1]: "/dev/ttyUSB0"][$0]
        }
        #expect(access.rules.contains(#"SUBSYSTEM=="input", SYMLINK=="input/by-path/platform-keys-event", GROUP="#))
        #expect(access.rules.contains(#"SUBSYSTEM=="tty", SYMLINK=="serial/by-id/usb-u-blox-if00-port0", GROUP="#))
        #expect(!access.rules.contains("event3") && !access.rules.contains("ttyUSB0"))
    }

    /// Two lines of a chip, and two streams of a card: each is named once.
    @Test(arguments: [true, false]) func whatIsNotFoundHereIsToldOnce(isFound: Bool) throws {
        let text =
            BoardDescriptionTests.least
            + "[microphone]\ndevice = \"default\"\n[loudspeaker]\ndevice = \"default\"\n"
            + "[position]\ndevice = \"/dev/serial0\"\n"
        let access = try BoardAccess(BoardDescription(parsing: text, file: "b.toml")) { isFound ? $0 : nil }
        let missing = ["/dev/gpiochip0", "/dev/serial0"].map {
            "\($0) not found: if it is a link, run 'studyd udev' again on the device"
        }
        let card = "default does not name a card: access to every sound card is given"
        #expect(access.remarks.sorted() == (isFound ? [] : missing) + [card])
    }

    /// udev knows neither labels nor lines: the rule names the chip on which the line is now, and where it is not
    /// found here, all of them.
    @Test(arguments: ["line:GPIO24", "gpio:pinctrl-bcm2711:24"], [true, false])
    func aLineOfAChipWithoutAPathIsGivenWithItsChip(line: String, isFound: Bool) throws {
        let text = BoardDescriptionTests.least.replacing("/dev/gpiochip0:24", with: line)
        let access = try BoardAccess(BoardDescription(parsing: text, file: "b.toml")) { name in
            name == line ? (isFound ? "/dev/gpiochip4" : nil) : name
        }
        let rules = access.rules.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let matches = rules.map { $0.split(separator: ",").prefix(2).joined(separator: ",") }
        let chips = ["gpiochip0", isFound ? "gpiochip4" : "gpiochip*"]
        #expect(matches == chips.map { #"SUBSYSTEM=="gpio", KERNEL=="\#($0)""# })
        let chip = line.hasPrefix("gpio:") ? "the chip gpio:pinctrl-bcm2711" : "the chip of \(line)"
        let remark = "\(chip) was not found: access to every GPIO chip is given"
        #expect(access.remarks == (isFound ? [] : [remark]))
    }

    /// A simulated part is no device, whatever it is.
    @Test(arguments: ["simulated", "simulated-voice"]) func aSimulatedBoardIsGivenNothing(_ name: String) throws {
        let path = AgentFixture.package + "/boards/\(name).toml"
        let access = try BoardAccess(BoardDescription(parsing: BoundedFile.text(path), file: path)) { _ in nil }
        #expect(!access.rules.contains("SUBSYSTEM") && !access.unit.contains("char-") && access.remarks.isEmpty)
    }

    /// devices.txt of the kernel: 13 is input, 29 framebuffers, 89 I2C, 116 sound, 204 and 4 serial
    /// lines. systemd.unit(5): an empty value takes back what was said before.
    @Test func theUnitKeepsTheKindsThatTheBoardHas() throws {
        let lines = try Self.access(
            """
            name = "breadboard"
            bus = [{ name = "motion", device = "/dev/i2c-1" }]
            chip = [{ type = "LIS3DH", bus = "motion", address = 0x18 }]
            button = [{ name = "select", device = "/dev/gpiochip0:27" }]
            light = [{ name = "status", device = "/dev/gpiochip0:24" }]
            """
        ).unit.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            lines == [
                "[Service]", "SupplementaryGroups=", "DeviceAllow=", "DeviceAllow=char-89 rw",
                "DeviceAllow=char-gpiochip rw",
            ])
    }

    @Test(arguments: [
        ("input:Raspberry Pi Sense HAT Joystick", #"input:x\", RUN+=\"/bin/sh"#),
        ("/dev/i2c-1", #"/dev/x\", RUN+=\"sh"#), ("/dev/serial0", #"/dev/x\", RUN+=\"sh"#),
        ("/dev/gpiochip0:25", #"/dev/x\", RUN+=\"sh:25"#),
    ])
    func aNameThatWouldBreakOutOfARuleIsRefused(part: String, name: String) {
        let board = Self.board.replacing(part, with: name)
        #expect(throws: UnnameableDevice.self) { try Self.access(board) }
    }

    /// systemd's `read_line` ends a line with any of these.
    @Test(arguments: [#"\n"#, #"\r"#, #"\r\n"#, #"\u0000"#], ["narrow", "hw:CARD=sndrpigooglevoi"])
    func aNameInACommentStaysInItsLine(end: String, name: String) throws {
        let access = try Self.access(Self.board.replacing(name, with: "x\(end)RUN+='sh'"))
        #expect(access.rules.contains("RUN+='sh'"))
        for text in [access.rules, access.unit] {
            let lines = text.utf8.split { [0x0A, 0x0D, 0x00].contains($0) }
            #expect(lines.allSatisfy { !$0.starts(with: "RUN".utf8) }, "\(text)")
        }
    }

    /// Boards that are shipped, but the simulated ones, have rules for every part.
    @Test(arguments: ["breadboard", "keypad", "sense-hat", "virtual", "wearable"]) func everyShippedBoardHasRules(
        _ name: String
    ) throws {
        let path = AgentFixture.package + "/boards/\(name).toml"
        let access = try BoardAccess(BoardDescription(parsing: BoundedFile.text(path), file: path)) { $0 }
        #expect(access.rules.contains("TAG+=\"studyd\"") && !access.rules.contains("KERNEL==\"\""), "\(access.rules)")
    }

    private static func inFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/studyd-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileError(path: "/tmp", message: "cannot make a folder") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { _ = shell("rm -r '\(folder)'") }
        try body(folder)
    }

    private static func shell(_ command: String) -> (CInt, String) {
        guard let pipe = popen("{ \(command); } 2>&1", "r") else { return (-1, "no shell") }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer.prefix(count) }
        return (pclose(pipe), String(decoding: output, as: UTF8.self))
    }
}
