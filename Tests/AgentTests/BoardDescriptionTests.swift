// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct BoardDescriptionTests {
    static let boards: [String] = {
        var names: [String] = []
        guard let folder = opendir(AgentFixture.package + "/boards") else { return [] }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".toml") { names.append(name) }
        }
        return names.sorted()
    }()

    @Test func thereAreBoards() { #expect(Self.boards.contains("simulated.toml")) }

    @Test(arguments: boards) func everyBoardLoadsAndMakesAPanel(_ name: String) throws {
        let board = try Self.board(name)
        let panel = try Panel(board)
        #expect(panel.buttons.count == board.buttons.count)
        #expect(panel.hasMicrophone == (board.microphone != nil))
    }

    /// The example of boards/README.md, as it stands there.
    @Test func theExampleOfTheReadMeLoads() throws {
        let text = try BoundedFile.text(AgentFixture.package + "/boards/README.md")
        let parts = text.split(separator: "```toml\n")
        #expect(parts.count == 3)
        let example = try #require(parts.dropFirst().first?.split(separator: "```").first)
        let board = try BoardDescription(parsing: String(example), file: "README.md")
        #expect(board.chips.map(\.type) == ["LIS3DH"] && !board.isSimulated)
    }

    static let least = """
        name = "b"
        [[button]]
        name = "only"
        device = "/dev/gpiochip0:17"
        [[light]]
        name = "l"
        device = "/dev/gpiochip0:24"

        """

    @Test(arguments: [
        ("", nil as String?), ("[panel]\nletters = false", nil), ("[panel]\nletters = true", ""),
        ("[panel]\nletters = true\nalphabet = \"abcäöü\"", "abcäöü"),
    ]) func aBoardMaySayThatTextsAreChosenByLetters(_ table: String, _ letters: String?) throws {
        #expect(try Panel(BoardDescription(parsing: Self.least + table, file: "b.toml")).letters == letters)
    }

    private static func bound(_ key: String) -> String {
        least + "[[button]]\nname = \"red\"\ndevice = \"/dev/gpiochip0:27\"\n" + key + "\n"
    }

    @Test func aButtonIsThereForATaskOrForMarks() throws {
        let task = try Panel(BoardDescription(parsing: Self.bound("task = \"pain\""), file: "b.toml"))
        #expect(
            task.buttons.map(\.role) == [.only, .task("pain")] && task.buttons[1].place == "b.toml:11: button[1].task")
        let marker = try Panel(BoardDescription(parsing: Self.bound("marker = true"), file: "b.toml"))
        #expect(marker.buttons.map(\.role) == [.only, .marker] && marker.layout == .one)
        let both = try Panel(BoardDescription(parsing: Self.bound("marker = false"), file: "b.toml"))
        #expect(both.buttons.map(\.role) == [.step, .choose])
    }

    @Test(arguments: [
        (bound("task = \"pain\"\nmarker = true"), "b.toml:11: button[1].task"),
        (bound("task = \"\""), "b.toml:11: button[1].task"),
        (least.replacing("name = \"only\"", with: "name = \"only\"\ntask = \"pain\""), "b.toml:4: button[0].task"),
        (least.replacing("name = \"only\"", with: "name = \"only\"\nmarker = true"), "b.toml:4: button[0].marker"),
    ]) func aButtonDoesOneThingAndOneIsLeftToAnswer(_ text: String, _ place: String) {
        let error = #expect(throws: (any Error).self) { try BoardDescription(parsing: text, file: "b.toml") }
        #expect(error.map { "\($0)" }?.hasPrefix(place) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("[panel]\nalphabet = \"abc\"", "alphabet"), ("[panel]\nletters = \"abc\"", "letters"),
        ("[panel]\nletter = true", "letter"),
    ]) func whatAPanelCannotBeToldIsNamed(_ table: String, _ key: String) {
        let error = #expect(throws: (any Error).self) {
            try BoardDescription(parsing: Self.least + table, file: "b.toml")
        }
        #expect(error.map { "\($0)" }?.contains(key) == true, "\(String(describing: error))")
    }

    /// Every chip that a board names has a driver, at an address it can have; the panel can answer.
    @Test(arguments: boards) func everyChipOfABoardIsInTheCatalog(_ name: String) throws {
        let board = try Self.board(name)
        for chip in board.chips {
            let entry = try chip.entry()
            #expect(entry.identity.addresses.contains(chip.address), "\(name): \(chip.type)")
        }
        #expect(board.isSimulated || !board.buses.contains { $0.device == BoardDescription.simulated })
    }

    /// The boards of the README's table, each with its wiring.
    @Test func theReadMeNamesEveryBoard() throws {
        let text = try BoundedFile.text(AgentFixture.package + "/boards/README.md")
        for name in Self.boards where name != "virtual.toml" { #expect(text.contains("| `\(name)` |"), "\(name)") }
        for name in ["breadboard", "keypad", "sense-hat", "wearable"] { #expect(text.contains("### \(name).toml")) }
    }

    private static func board(_ name: String) throws -> BoardDescription {
        let path = AgentFixture.package + "/boards/" + name
        return try BoardDescription(parsing: BoundedFile.text(path), file: path)
    }

    private static func parsed(_ text: String) throws -> BoardDescription {
        try BoardDescription(parsing: text, file: "x.toml")
    }

    @Test func aBreadboardHasButtonsOnLinesThatArePulledUp() throws {
        let board = try Self.board("breadboard.toml")
        #expect(board.buttons.map(\.device) == ["/dev/gpiochip0:17", "/dev/gpiochip0:27", "/dev/gpiochip0:22"])
        #expect(board.buttons.allSatisfy { $0.isActiveLow && $0.bias == .pullUp })
        #expect(try Panel(board).leds.map(\.kind) == [.mono] && Panel(board).buzzer == .pitched)
    }

    @Test func theSenseHATIsAJoystickAndAScreen() throws {
        let board = try Self.board("sense-hat.toml")
        let joystick = try InputDeviceName(parsing: "input:Raspberry Pi Sense HAT Joystick")
        #expect(
            board.buttons.allSatisfy { $0.source == .key(joystick) }
                && board.buttons.map(\.code) == [105, 28, 106, 103, 108])
        #expect(board.lights.map(\.device.description) == ["fb:RPi-Sense FB"] && board.lights[0].isRGB)
        #expect(board.chips.map(\.type) == ["LSM9DS1-imu", "LSM9DS1-magn"] && board.buzzer == nil)
        #expect(
            board.chips[0].mounting?.rows == [[-1, 0, 0], [0, 1, 0], [0, 0, 1]] && board.chips[1].mounting == nil)
        #expect(try Panel(board).buttons.map(\.role) == [.previous, .select, .next, .undo, .menu])
    }

    /// Other drivers of an LSM9DS1 mirror an axis of its accelerometer and gyroscope: `SenseHATAxesTests` names them.
    @Test(
        arguments: [
            ("LSM9DS1-imu", "", true), ("LSM9DS1-imu", "matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]", true),
            ("LSM9DS1-imu", "matrix = [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]", false), ("LSM6DSO", "", false),
            ("LSM6DSO", "matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]", false),
        ])
    func aLeftHandedChipNeedsAMirror(_ type: String, _ matrix: String, _ lacksMirror: Bool) throws {
        let chip = """
            [[bus]]
            name = "motion"
            device = "/dev/i2c-1"
            [[chip]]
            type = "\(type)"
            bus = "motion"
            address = 0x6A
            \(matrix)
            """
        let board = try BoardDescription(parsing: Self.least + chip, file: "b.toml")
        #expect(board.chips.map(\.lacksMirror) == [lacksMirror])
    }

    /// The codes of the file are those that its overlay gives to the matrix. The kernel names the
    /// input device after the overlay's node (drivers/input/keyboard/matrix_keypad.c:
    /// `input_dev->name = pdev->name`) and writes row, column and code into one number
    /// (include/linux/input/matrix_keypad.h: KEY).
    @Test(arguments: ["keypad.toml", "simulated-keypad.toml"])
    func aKeypadHasALightAtEachOfItsSixteenKeys(_ name: String) throws {
        let board = try Self.board(name)
        let panel = try Panel(board)
        #expect(panel.buttons.count == 16 && panel.columns == 4 && panel.leds.map(\.button) == Array(0..<16))
        let overlay = try BoundedFile.text(AgentFixture.package + "/boards/keypad.dts")
        let map = overlay.split(separator: "linux,keymap = <")[1].split(separator: ">")[0]
        let words = map.split(whereSeparator: \.isWhitespace).compactMap { Int($0.dropFirst(2), radix: 16) }
        #expect(words.count == 16)
        let codes = words.sorted().map { $0 & 0xFFFF }
        #expect(board.buttons.map(\.code) == codes)
        #expect(words.map { [$0 >> 24, $0 >> 16 & 0xFF] } == (0..<16).map { [$0 / 4, $0 % 4] })
        if name == "keypad.toml" {
            #expect(board.buttons.allSatisfy { $0.device == "input:studyd-keypad" })
            #expect(overlay.contains("\t\tstudyd-keypad {\n\t\t\t\tcompatible = \"gpio-matrix-keypad\";"))
        }
    }

    @Test func aWearableShakesAndListens() throws {
        let board = try Self.board("wearable.toml")
        #expect(board.vibration?.drive == .chip("DRV2605L", bus: "body", address: 0x5A))
        let microphone = try #require(board.microphone)
        #expect(
            microphone.rate == 16_000 && microphone.settling == .milliseconds(500) && microphone.format == .s32
                && microphone.validBits == 24)
        #expect(microphone.channels == 2 && microphone.slot == .left && microphone.highPass == 10)
        let panel = try Panel(board)
        #expect(panel.layout == .two && panel.hasVibration && !panel.hasSound && panel.leds.isEmpty)
    }

    /// I2S sends the left channel first; of one channel there is the first alone.
    @Test(arguments: [
        ("", 0), ("channels = 2", 0), ("channels = 2\nchannel = \"left\"", 0), ("channels = 2\nchannel = \"right\"", 1),
    ]) func theChannelThatIsKeptIsThatOfTheMicrophonesSlot(keys: String, channel: Int) throws {
        let text = Self.least + "[microphone]\ndevice = \"hw:CARD=mic\"\n\(keys)\n"
        let microphone = try #require(try BoardDescription(parsing: text, file: "b.toml").microphone)
        #expect(PCMParameters(microphone).channel == channel)
    }

    @Test func theWordsOfABoardFileAreRead() throws {
        let text = """
            name = "x"
            [[chip]]
            type = "IIO"
            device = "lis3dh_accel"
            [[button]]
            name = "a"
            device = "gpiochip:pinctrl-bcm2711"
            code = 5
            active_low = false
            [[button]]
            name = "b"
            device = "gpiochip:pinctrl-bcm2711:6"
            bias = "none"
            [[light]]
            name = "l"
            device = "/dev/gpiochip0:1 + /dev/gpiochip0:2 + /dev/gpiochip0:3"
            active_low = true
            button = "b"
            [buzzer]
            device = "gpio:pinctrl-bcm2711:7"
            [vibration]
            device = "line:MOTOR:active-low"
            """
        let board = try Self.parsed(text)
        #expect(board.kernelChips.map(\.device) == ["lis3dh_accel"] && board.chips.isEmpty)
        #expect(board.buttons.map(\.device) == ["gpio:pinctrl-bcm2711:5", "gpio:pinctrl-bcm2711:6"])
        #expect(board.buttons.map(\.bias) == [.pullDown, .disabled])
        #expect(board.buttons.map(\.isActiveLow) == [false, true])
        #expect(board.lights[0].isRGB && board.lights[0].device.lines.allSatisfy(\.isActiveLow))
        #expect(board.buzzer?.device.line?.isActiveLow == false && board.vibration?.device?.name?.isActiveLow == true)
        let panel = try Panel(board)
        #expect(panel.leds[0].button == 1 && panel.buzzer == .fixed && panel.hasVibration)
    }

    static let good = """
        name = "x"
        [[bus]]
        name = "a"
        device = "/dev/i2c-1"
        [[chip]]
        type = "LIS3DH"
        bus = "a"
        address = 0x18
        [[button]]
        name = "only"
        device = "/dev/input/event0"
        code = 28
        [[light]]
        name = "status"
        device = "/sys/class/leds/status"
        """

    @Test func aSmallBoardIsReadInFull() throws {
        let board = try Self.parsed(Self.good)
        #expect(board.name == "x" && board.file == "x.toml" && board.world == nil)
        #expect(board.chips[0].address == 0x18 && board.chips[0].path == "chip[0]" && board.line(of: "chip[0]") == 5)
        #expect(board.buttons[0].code == 28 && board.lights[0].isRGB == false)
        #expect(board.buzzer == nil && board.microphone == nil && board.position == nil)
    }

    struct Mistake: Sendable {
        /// Replaced by `by` in the good file.
        let part: String
        let by: String
        /// File, line and key.
        let place: String
        let contains: String

        init(_ part: String, _ by: String, _ line: Int?, _ key: String, _ contains: String) {
            self.part = part
            self.by = by
            self.contains = contains
            place = "x.toml:" + (line.map { "\($0):" } ?? "") + " \(key): "
        }

        /// `more` is added in the lines after that part.
        init(after part: String, _ more: String, _ line: Int?, _ key: String, _ contains: String) {
            self.init(part, part + "\n" + more, line, key, contains)
        }
    }

    @Test func theInterruptPinOfAChipIsALine() throws {
        let text = Self.good.replacing("0x18", with: "0x18\ninterrupt = \"/dev/gpiochip0:25\"")
        let board = try Self.parsed(text)
        #expect(board.chips[0].interrupt == .init(chip: "/dev/gpiochip0", line: 25))
        #expect(try Self.parsed(Self.good).chips[0].interrupt == nil)
    }

    /// What is done to the good file, and what is complained of.
    static let mistakes: [Mistake] = [
        Mistake("name = \"x\"", "", nil, "name", "is missing"),
        Mistake("name = \"x\"", "name = 1", 1, "name", "a text in quotes"),
        Mistake(after: "name = \"x\"", "colour = 1", 2, "colour", "unknown key"),
        Mistake(
            after: "device = \"/dev/i2c-1\"", "[[bus]]\nname = \"b\"\ndevice = \"/dev/i2c-1\"", 7, "bus[1].device",
            "'/dev/i2c-1' is already used by bus[0]"),
        Mistake("device = \"/dev/i2c-1\"", "", 2, "bus[0].device", "is missing"),
        Mistake("bus = \"a\"", "bus = \"b\"", 7, "chip[0].bus", "there is no [[bus]] named 'b'; there are: a"),
        Mistake(
            after: "0x18", "interrupt = \"GPIO25\"", 9, "chip[0].interrupt",
            "is not a GPIO line; use e.g. /dev/gpiochip0:25"),
        Mistake("0x18", "0x80", 8, "chip[0].address", "0x80 is outside 0x08 to 0x77"),
        Mistake("/dev/i2c-1", "i2c-1", 4, "bus[0].device", "expected a device file such as /dev/i2c-1"),
        Mistake("0x18", "\"0x18\"", 8, "chip[0].address", "a whole number"),
        Mistake("LIS3DH", "LIS9", 6, "chip[0].type", "known: LIS3DH, "),
        Mistake(
            after: "[[chip]]", "type = \"LIS3DH\"\nbus = \"a\"\naddress = 0x18\n[[chip]]", 12, "chip[1].address",
            "'0x18 on a' is already used by chip[0]"),
        Mistake(after: "[[bus]]", "name = \"a\"\ndevice = \"/dev/i2c-2\"\n[[bus]]", 6, "bus[1].name", "'a'"),
        Mistake("code = 28", "", 9, "button[0].code", "is missing"),
        Mistake("code = 28", "code = 5000", 12, "button[0].code", "0 to 767"),
        Mistake(after: "code = 28", "key = \"s\"", 13, "button[0].key", "known keys"),
        Mistake(
            after: "[[button]]", "name = \"b\"\ndevice = \"/dev/input/event0\"\ncode = 28\n[[button]]", 16,
            "button[1].code", "button[0]"),
        Mistake(
            after: "[[button]]", "name = \"only\"\ndevice = \"/dev/input/event0\"\ncode = 29\n[[button]]", 14,
            "button[1].name", "'only'"),
        Mistake(
            after: "[[light]]", "name = \"status\"\ndevice = \"/sys/class/leds/b\"\n[[light]]", 17, "light[1].name",
            "'status'"),
        Mistake("[[light]]", "[light]", 13, "light", "[[light]]"),
        Mistake("[[light]]", "[[lamp]]", 13, "lamp", "unknown key"),
        Mistake("/sys/class/leds/status", "simulated", 15, "light[0].device", "[world]"),
        Mistake(after: "code = 28", "[buzzer]\npin = 3", 13, "buzzer.device", "is missing"),
        Mistake(
            after: "code = 28", "[microphone]\ndevice = \"hw:0\"\nrate = 44.1", 15, "microphone.rate", "a whole number"),
        Mistake(
            after: "code = 28", "[position]\ndevice = \"/dev/serial0\"\nbaud = 10", 15, "position.baud",
            "1200 to 921600"),
        Mistake("address = 0x18", "address = 0x1E", 8, "chip[0].address", "cannot have address 0x1E; use 0x18 or 0x19"),
        Mistake(
            after: "address = 0x18", "matrix = [[1, 0, 0], [0, 1, 0], [0, 1, 0]]", 9, "chip[0].matrix",
            "one 1 or -1 in each row and column"),
        Mistake(after: "address = 0x18", "matrix = [1, 0, 0]", 9, "chip[0].matrix", "rows of whole numbers"),
        Mistake("/dev/input/event0", "event0", 11, "button[0].device", "input:NAME; or a line such as"),
        Mistake("/dev/input/event0", "/dev/gpiochip0:4", 12, "button[0].code", "already names the line"),
        Mistake(after: "code = 28", "bias = \"pull-up\"", 13, "button[0].bias", "this button is a key"),
        Mistake(after: "code = 28", "active_low = true", 13, "button[0].active_low", "remove it"),
        Mistake(
            "\"/dev/input/event0\"\ncode = 28", "\"/dev/gpiochip0:4\"\nbias = \"up\"", 12, "button[0].bias",
            "pull-up, pull-down, none, as-is"),
        Mistake("/sys/class/leds/status", "status", 15, "light[0].device", "/sys/class/leds/NAME"),
        Mistake("/sys/class/leds/status", "fb:X:1", 15, "light[0].device", "fb:NAME:x,y"),
        Mistake(
            "\"/sys/class/leds/status\"", "\"/dev/gpiochip0:1\"\nrgb = true", 16, "light[0].rgb", "joined by ' + '"),
        Mistake(
            after: "\"/sys/class/leds/status\"", "active_low = true", 16, "light[0].active_low",
            "only a GPIO line can be active low"),
        Mistake(
            after: "\"/sys/class/leds/status\"", "button = \"red\"", 16, "light[0].button",
            "there is no [[button]] named 'red'; there are: only"),
        Mistake(
            after: "code = 28", "[buzzer]\ndevice = \"/dev/gpiochip0:1\"\n[vibration]\ndevice = \"/dev/gpiochip0:1\"",
            16, "vibration.device", "'/dev/gpiochip0:1' is already used by buzzer"),
        Mistake(
            "\"/dev/input/event0\"\ncode = 28", "\"/dev/gpiochip0:-4\"", 11, "button[0].device",
            "expected a line such as /dev/gpiochip0:17"),
        Mistake(
            after: "code = 28", "[position]\ndevice = \"serial0\"", 14, "position.device",
            "'serial0' is not a device name"),
        Mistake(
            after: "code = 28", "[vibration]\nchip = \"DRV2605L\"\nbus = \"a\"\naddress = 0x5B", 16,
            "vibration.address", "cannot have address 0x5B; use 0x5A"),
        Mistake(
            after: "code = 28", "[vibration]\nchip = \"DRV2605L\"\nbus = \"b\"", 15, "vibration.bus", "there are: a"),
        Mistake(after: "code = 28", "[vibration]\nchip = \"X\"", 14, "vibration.chip", "known: DRV2605L"),
        Mistake(after: "code = 28", "[vibration]\nmotor = \"lra\"", 13, "vibration.device", "name a line"),
        Mistake(
            after: "code = 28", "[microphone]\ndevice = \"hw:0\"\nvalid_bits = 24", 15, "microphone.valid_bits",
            "format = \"S32_LE\""),
        Mistake(
            after: "code = 28", "[microphone]\ndevice = \"hw:0\"\nchannel = \"right\"", 15, "microphone.channel",
            "channels = 2"),
        Mistake(
            after: "code = 28", "[microphone]\ndevice = \"hw:0\"\nformat = \"S8\"", 15, "microphone.format",
            "S16_LE, S24_LE, S24_3LE, S32_LE"),
        Mistake(
            after: "code = 28", "[loudspeaker]\ndevice = \"hw:0\"\ncalibration = 3", 15, "loudspeaker.calibration",
            "unknown key"),
        Mistake(
            after: "code = 28", "[world]\nscript = \"rest 1s\"\n[[world.silence]]\naddress = 0x18\nuntil = \"367d\"",
            17, "world.silence[0].until", "'367d' is not a duration up to 366 days"),
    ]

    @Test(arguments: mistakes.indices) func everyMistakeNamesFileLineKeyAndRemedy(_ index: Int) {
        let mistake = Self.mistakes[index]
        let text = Self.good.replacing(mistake.part, with: mistake.by, maxReplacements: 1)
        let error = #expect(throws: ConfigError.self, "\(mistake.by)") {
            try Self.parsed(text)
        }
        let complaint = error?.description ?? ""
        #expect(complaint.hasPrefix(mistake.place), "\(complaint)")
        #expect(complaint.contains(mistake.contains), "\(complaint)")
    }

    @Test(arguments: [0, 17]) func aBoardHasOneToSixteenButtons(_ count: Int) {
        let buttons = (0..<count).map {
            "[[button]]\nname = \"b\($0)\"\ndevice = \"/dev/input/event0\"\ncode = \($0)\n"
        }
        let text = "name = \"x\"\n[buzzer]\ndevice = \"/sys/class/pwm/pwmchip0/pwm0\"\n" + buttons.joined()
        let error = #expect(throws: ConfigError.self) { try Self.parsed(text) }
        #expect(error?.message.contains("1 to 16") == true)
    }

    @Test func aBoardThatCanTellNothingIsRefused() {
        let text = "name = \"x\"\n[[button]]\nname = \"a\"\ndevice = \"/dev/input/event0\"\ncode = 1\n"
        let error = #expect(throws: ConfigError.self) { try Self.parsed(text) }
        #expect(error?.message.contains("[[light]]") == true)
    }
}
