// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// What `studyd udev --into` leaves in force, by the judgement of systemd's own reader of such folders.
@Suite struct UdevCommandTests {
    private static func hasReader() -> Bool {
        if FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze") { return true }
        print("SKIPPED: which rules are in force is not asked, because systemd-analyze is not there")
        return false
    }

    /// Lines that are in force below a root, without comments.
    private static func rules(_ root: String, _ stage: Stage) async throws -> [String] {
        let reader = try stage.start([
            "/usr/bin/systemd-analyze", "cat-config", "--no-pager", "--root=\(root)", "udev/rules.d",
        ])
        #expect(try await reader.ended() == 0, "\(reader.errors)")
        return reader.output.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    @Test(.enabled(if: hasReader()), arguments: ["usr/lib", "lib", "usr/local/lib", "run"])
    func onlyTheBoardsRulesStay(folder: String) async throws {
        try await Stage.with { stage in
            let shipped = Files.text(Programs.package + "/udev/70-studyd.rules")
            let root = stage.folder + "/root"
            let place = "\(root)/\(folder)/udev/rules.d"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            for name in ["60-studyd.rules", "70-studyd.rules"] { try Files.write(shipped, to: "\(place)/\(name)") }
            try Files.write("SUBSYSTEM==\"tty\", MODE=\"0600\"\n", to: place + "/99-other.rules")
            let before = try await Self.rules(root, stage)
            #expect(before.count { $0.contains("SUBSYSTEM==\"leds\"") } == 2)
            let words = [Programs.studyd, "udev", "--board", Programs.package + "/boards/breadboard.toml", "--into"]
            // The second time changes nothing.
            for _ in 0..<2 {
                let child = try stage.start(words + [root])
                #expect(try await child.ended() == 0 && !child.errors.contains("also gives access"), "\(child.errors)")
                let rules = try await Self.rules(root, stage)
                #expect(rules.contains("SUBSYSTEM==\"tty\", MODE=\"0600\""))
                #expect(rules.dropLast().allSatisfy { $0.contains("studyd") }, "\(rules)")
            }
        }
    }

    @Test func aFileOfTheAdministratorsIsNamed() async throws {
        try await Stage.with { stage in
            let place = stage.folder + "/root/etc/udev/rules.d"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try Files.write("# mine\n", to: place + "/80-studyd.rules")
            let board = Programs.package + "/boards/breadboard.toml"
            let child = try stage.start([Programs.studyd, "udev", "--board", board, "--into", stage.folder + "/root"])
            #expect(try await child.ended() == 0)
            #expect(child.errors.contains("\(place)/80-studyd.rules also gives access to devices; remove it"))
            #expect(Files.text(place + "/80-studyd.rules") == "# mine\n")
        }
    }

    /// Its rules would take every device from the agent.
    @Test func theBoardOfSoftwareIsNotWritten() async throws {
        try await Stage.with { stage in
            let child = try stage.start([Programs.studyd, "udev", "--into", stage.folder])
            #expect(try await child.ended() == 2 && child.errors.contains("--board"), "\(child.errors)")
            #expect(!FileManager.default.fileExists(atPath: stage.folder + "/etc"))
        }
    }
}
