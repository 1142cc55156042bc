// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// `studyd check` as its users have it: on the simulated board, with faults, on boards that are not
/// here, beside the agent.
@Suite(.serialized) struct CheckTests {
    /// One line of `--json`.
    private struct Finding {
        let part: String
        let name: String
        let result: String
        let detail: String
        let remedy: String

        init(_ line: Substring) throws {
            let json = try JSON(parsing: String(line))
            (part, name, result) = (json["part"].text, json["name"].text, json["result"].text)
            detail = json["detail"].text
            remedy = json["remedy"].text
        }
    }

    private static func check(
        _ stage: Stage, _ words: [String], by program: String = Programs.tools
    ) async throws -> (code: Int32, findings: [Finding], errors: String) {
        let child = try stage.start([program, "check", "--json"] + words)
        let code = try await child.ended()
        let findings = try child.output.split(separator: "\n").map(Finding.init)
        for finding in findings where finding.result == "failed" || finding.result == "warning" {
            #expect(!finding.detail.isEmpty && !finding.remedy.isEmpty, "\(finding)")
        }
        return (code, findings, child.errors)
    }

    @Test(.timeLimit(.minutes(20))) func everythingOfTheSimulatedBoardIsWell() async throws {
        try await Stage.with { stage in
            let (code, findings, errors) = try await Self.check(
                stage, ["--board", Programs.package + "/boards/simulated.toml"])
            #expect(code == 0 && errors.isEmpty, "\(errors)")
            let parts = findings.map { "\($0.part) \($0.name)" }
            #expect(
                parts.dropLast(2) == [
                    "bus motion", "chip LIS3DH 0x18", "chip LIS3MDL 0x1E", "button previous", "button select",
                    "button next",
                    "light status", "buzzer buzzer", "microphone microphone", "position position", "clock clock",
                ], "\(parts)")
            // Who vouches for the clock of this machine, and where its disk is, is not the board's.
            for finding in findings where !["clock", "disk", "server"].contains(finding.part) {
                #expect(finding.result == "ok", "\(finding)")
            }
            #expect(findings.last?.part == "server" && findings.last?.result == "skipped")
            let motion = try #require(findings.first { $0.name == "LIS3DH 0x18" })
            for words in ["0x0F reads 0x33", "of 100.0 Hz", "gravity 1.0", "self-test passed"] {
                #expect(motion.detail.contains(words), "\(motion)")
            }
        }
    }

    @Test(.timeLimit(.minutes(20))) func theTableIsForPeopleAndHasNoColoursInAPipe() async throws {
        try await Stage.with { stage in
            let child = try stage.start([
                Programs.tools, "check", "--board", Programs.package + "/boards/simulated.toml",
            ])
            #expect(try await child.ended() == 0)
            let lines = child.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(
                lines.first?.hasPrefix("ok      bus         motion        opens, answers: 0x18 LIS3DH or LIS2DH12")
                    == true)
            #expect(!child.output.contains("\u{1B}") && child.output.contains(" ok"))
        }
    }

    private static let faults: [(text: String, name: String, says: String, remedy: String)] = [
        (
            "[[world.silence]]\naddress = 0x1E\nuntil = \"60s\"\n", "LIS3MDL 0x1E", "LIS3MDL does not respond",
            "check its 3.3 V supply, ground, SDA and SCL"
        ),
        (
            "[[world.substitute]]\naddress = 0x1E\ntype = \"LIS2MDL\"\n", "LIS3MDL 0x1E",
            "not a LIS3MDL but LIS2MDL",
            "set chip[1] of the board file to the fitted chip"
        ),
    ]

    @Test(.timeLimit(.minutes(20)), arguments: faults.indices) func aFaultyChipIsNamed(_ index: Int) async throws {
        let fault = Self.faults[index]
        try await Stage.with { stage in
            let board = stage.folder + "/board.toml"
            try Files.write(Stage.board + "\n" + fault.text, to: board)
            let (code, findings, _) = try await Self.check(stage, ["--board", board])
            #expect(code == 1)
            let failed = findings.filter { $0.result == "failed" }
            #expect(failed.map(\.name) == [fault.name])
            let detail = failed.first?.detail ?? ""
            #expect(detail.contains(fault.says), "\(detail)")
            #expect(failed.first?.remedy.contains(fault.remedy) == true, "\(failed)")
            #expect(findings.contains { $0.name == "LIS3DH 0x18" && $0.result == "ok" })
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["breadboard", "keypad", "sense-hat", "wearable"])
    func aBoardThatIsNotHereFailsPartByPart(_ name: String) async throws {
        try await Stage.with { stage in
            let file = Programs.package + "/boards/\(name).toml"
            let (code, findings, errors) = try await Self.check(stage, ["--board", file], by: Programs.studyd)
            #expect((code == 0 || code == 1) && errors.isEmpty, "\(errors)")
            let tables = Files.text(file).split(separator: "\n").filter {
                $0.hasPrefix("[") && !["[panel]", "[readings]"].contains($0)
            }
            // A table for each, and clock, disk and server.
            #expect(findings.count == tables.count + 3, "\(findings.map(\.name))")
            guard access("/dev/i2c-1", F_OK) != 0 else {
                print("SKIPPED: this machine has an I2C bus, so the boards' parts may be here")
                return
            }
            let own = findings.filter { !["clock", "disk", "server"].contains($0.part) }
            #expect(own.allSatisfy { $0.result == "failed" || $0.part == "chip" && $0.result == "skipped" }, "\(own)")
            let bus = try #require(own.first { $0.part == "bus" })
            #expect(bus.detail.contains("/dev/i2c-1") && bus.remedy.contains("dtparam=i2c_arm=on"))
        }
    }

    @Test(.timeLimit(.minutes(20))) func theRunningAgentKeepsItsDevices() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer", "magnetometer"])
            try stage.board()
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            #expect(try await stage.studyd("enroll", receiver.studyURL).code == 0)
            let agent = try await stage.agent()
            try await eventually("the chips are recorded") {
                try await stage.status()["measures"].list.count { $0["stored"].int > 0 } == 2
            }
            let (code, findings, errors) = try await Self.check(
                stage, ["--config", stage.folder + "/studyd.toml"], by: Programs.studyd)
            #expect(code == 0, "\(errors) \(findings)")
            func result(_ part: String, _ name: String) -> String? {
                findings.first { $0.part == part && $0.name == name }?.result
            }
            #expect(result("agent", "studyd") == "ok" && result("chip", "accelerometer LIS3DH") == "ok")
            #expect(result("bus", "motion") == "skipped" && result("button", "select") == "skipped")
            #expect(result("server", "study") == "ok" && result("disk", stage.state) != "failed")
            let button = findings.first { $0.part == "button" }
            #expect(button?.remedy.contains("systemctl stop studyd") == true)
            try await agent.stop()
        }
    }

    @Test func wrongUseIsExplained() async throws {
        try await Stage.with { stage in
            let missing = try stage.start([Programs.studyd, "check", "--board", stage.folder + "/none.toml"])
            #expect(try await missing.ended() == 1 && missing.errors.contains("none.toml"))
            let option = try stage.start([Programs.studyd, "check", "--boards", "x"])
            #expect(try await option.ended() == 2)
            let help = try stage.start([Programs.studyd, "check", "--help"])
            #expect(try await help.ended() == 0 && help.output.contains("Example: studyd check"))
        }
    }
}
