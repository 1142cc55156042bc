// SPDX-License-Identifier: Apache-2.0
import Glibc
import StudyEngine
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
        let path = AgentFixture.package + "/boards/" + name
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        let panel = try Panel(board)
        #expect(panel.buttons.count == board.buttons.count)
        #expect(panel.hasMicrophone == (board.microphone != nil))
    }

    /// The example of boards/README.md, as it stands there.
    @Test func theExampleOfTheReadMeLoads() throws {
        let text = try BoundedFile.text(AgentFixture.package + "/boards/README.md")
        let parts = text.split(separator: "```toml\n")
        let example = try #require(parts.dropFirst().first?.split(separator: "```").first)
        let board = try BoardDescription(parsing: String(example), file: "README.md")
        #expect(board.chips.map(\.type) == ["LIS3DH"] && !board.isSimulated)
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
        let board = try BoardDescription(parsing: Self.good, file: "x.toml")
        #expect(board.name == "x" && board.file == "x.toml" && board.world == nil)
        #expect(board.chips[0].address == 0x18 && board.chips[0].line == 5 && board.chips[0].path == "chip[0]")
        #expect(board.buttons[0].code == 28 && board.lights[0].isRGB == false)
        #expect(board.buzzer == nil && board.microphone == nil && board.position == nil)
    }

    struct Mistake: Sendable {
        /// Replaced by `by` in the good file.
        let part: String
        let by: String
        let place: String
        let contains: String

        init(_ part: String, _ by: String, _ place: String, _ contains: String) {
            self.part = part
            self.by = by
            self.place = place
            self.contains = contains
        }
    }

    @Test func theInterruptPinOfAChipIsALine() throws {
        let text = Self.good.replacing("0x18", with: "0x18\ninterrupt = \"/dev/gpiochip0:25\"")
        let board = try BoardDescription(parsing: text, file: "x.toml")
        #expect(board.chips[0].interrupt == .init(chip: "/dev/gpiochip0", line: 25))
        #expect(try BoardDescription(parsing: Self.good, file: "x.toml").chips[0].interrupt == nil)
    }

    static let mistakes = [
        Mistake("name = \"x\"", "", "x.toml: name: ", "is missing"),
        Mistake("name = \"x\"", "name = 1", "x.toml:1: name: ", "a text in quotes"),
        Mistake("name = \"x\"", "name = \"x\"\ncolour = 1", "x.toml:2: colour: ", "unknown key"),
        Mistake("device = \"/dev/i2c-1\"", "", "x.toml:2: bus[0].device: ", "is missing"),
        Mistake("bus = \"a\"", "bus = \"b\"", "x.toml:7: chip[0].bus: ", "no [[bus]] is named 'b'; there are: a"),
        Mistake(
            "0x18", "0x18\ninterrupt = \"GPIO25\"", "x.toml:9: chip[0].interrupt: ",
            "no GPIO line such as /dev/gpiochip0:25"),
        Mistake("0x18", "0x80", "x.toml:8: chip[0].address: ", "8 to 119"),
        Mistake("0x18", "\"0x18\"", "x.toml:8: chip[0].address: ", "a whole number"),
        Mistake("LIS3DH", "LIS9", "x.toml:6: chip[0].type: ", "known: LIS3DH, "),
        Mistake(
            "[[chip]]", "[[chip]]\ntype = \"LIS3DH\"\nbus = \"a\"\naddress = 0x18\n[[chip]]",
            "x.toml:12: chip[1].address: ",
            "chip[0]"),
        Mistake("[[bus]]", "[[bus]]\nname = \"a\"\ndevice = \"/dev/i2c-2\"\n[[bus]]", "x.toml:6: bus[1].name: ", "'a'"),
        Mistake("code = 28", "", "x.toml:9: button[0].code: ", "is missing"),
        Mistake("code = 28", "code = 5000", "x.toml:12: button[0].code: ", "0 to 767"),
        Mistake("code = 28", "code = 28\nkey = \"s\"", "x.toml:13: button[0].key: ", "known here"),
        Mistake(
            "[[button]]", "[[button]]\nname = \"b\"\ndevice = \"/dev/input/event0\"\ncode = 28\n[[button]]",
            "x.toml:16: button[1].code: ", "button[0]"),
        Mistake(
            "[[button]]", "[[button]]\nname = \"only\"\ndevice = \"/dev/input/event0\"\ncode = 29\n[[button]]",
            "x.toml:14: button[1].name: ", "'only'"),
        Mistake(
            "[[light]]", "[[light]]\nname = \"status\"\ndevice = \"/sys/class/leds/b\"\n[[light]]",
            "x.toml:17: light[1].name: ", "'status'"),
        Mistake("[[light]]", "[light]", "x.toml:13: light: ", "[[light]]"),
        Mistake(
            "[[light]]", "[[lamp]]", "x.toml:13: lamp: ", "unknown key"),
        Mistake(
            "/sys/class/leds/status", "simulated", "x.toml:15: light[0].device: ", "[world]"),
        Mistake("code = 28", "code = 28\n[buzzer]\npin = 3", "x.toml:13: buzzer.device: ", "is missing"),
        Mistake(
            "code = 28", "code = 28\n[microphone]\ndevice = \"hw:0\"\nrate = 44.1", "x.toml:15: microphone.rate: ",
            "a whole number"),
        Mistake(
            "code = 28", "code = 28\n[position]\ndevice = \"/dev/serial0\"\nbaud = 10", "x.toml:15: position.baud: ",
            "1200 to 921600"),
    ]

    @Test(arguments: mistakes.indices) func everyMistakeNamesFileLineKeyAndRemedy(_ index: Int) {
        let mistake = Self.mistakes[index]
        let text = Self.good.replacing(mistake.part, with: mistake.by, maxReplacements: 1)
        let error = #expect(throws: ConfigError.self, "\(mistake.by)") {
            try BoardDescription(parsing: text, file: "x.toml")
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
        let error = #expect(throws: ConfigError.self) { try BoardDescription(parsing: text, file: "x.toml") }
        #expect(error?.message.contains("1 to 16") == true)
    }

    @Test func aBoardThatCanTellNothingIsRefused() {
        let text = "name = \"x\"\n[[button]]\nname = \"a\"\ndevice = \"/dev/input/event0\"\ncode = 1\n"
        let error = #expect(throws: ConfigError.self) { try BoardDescription(parsing: text, file: "x.toml") }
        #expect(error?.message.contains("[[light]]") == true)
    }
}
