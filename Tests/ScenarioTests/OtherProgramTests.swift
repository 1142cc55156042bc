// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// What `studyd` says of what `studyd-tools` does, and that a device needs `studyd` alone.
@Suite(.timeLimit(.minutes(20))) struct OtherProgramTests {
    @Test(arguments: [
        (["demo", "--for", "2s"], "studyd-tools demo --for 2s"),
        (["recordings", "export", "a b.cwa", "--to", "csv"], "studyd-tools export 'a b.cwa' --to csv"),
        (["recordings", "plot", "it's.flac"], #"studyd-tools plot 'it'\''s.flac'"#),
        (["export", "x", "-o", "-"], "studyd-tools export x -o -"), (["plot", ""], "studyd-tools plot ''"),
        (["features", "x"], "studyd-tools features x"),
        (["make-study", "s", "-o", "d"], "studyd-tools make-study s -o d"),
    ]) func aCommandOfStudydToolsIsNamedWithTheWordsToType(_ words: [String], _ typed: String) async throws {
        try await Stage.with { stage in
            let child = try stage.start([Programs.studyd] + words)
            #expect(try await child.ended() == 2 && child.output.isEmpty, "\(child.output)")
            #expect(child.errors.hasSuffix(" is a command of studyd-tools; type: \(typed)\n"), "\(child.errors)")
            #expect(child.errors.count { $0 == "\n" } == 1, "\(child.errors)")
        }
    }

    /// A shell reads the words back as they were.
    @Test func theNamedWordsWorkAsTheyStand() async throws {
        try await Stage.with { stage in
            let track = stage.folder + "/it's a track.nmea"
            try Files.write(Files.text(Programs.package + "/studies/receiver.nmea"), to: track)
            let named = try stage.start([Programs.studyd, "recordings", "export", track, "--to", "csv"])
            #expect(try await named.ended() == 2)
            let words = try #require(named.errors.firstRange(of: "type: ").map { named.errors[$0.upperBound...] })
            let typed = try stage.start(["sh", "-c", "PATH=\"\(Programs.folder):$PATH\"; \(words)"])
            #expect(try await typed.ended() == 0, "\(typed.errors)")
            #expect(typed.output.hasPrefix("#") || typed.output.hasPrefix("time,"), "\(typed.output.prefix(80))")
        }
    }

    @Test func aSimulatedBoardIsLeftToStudydToolsByRunAndCheck() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            for command in ["run", "check"] {
                let refused = try await stage.studyd(command)
                #expect(refused.code == 1, "\(refused)")
                #expect(
                    refused.errors.hasSuffix("type: studyd-tools \(command) --config \(stage.folder)/studyd.toml\n"),
                    "\(refused)")
            }
            // Once an agent has the board, `check` asks the agent.
            let agent = try await stage.agent()
            let checked = try await stage.studyd("check", "--json")
            #expect(
                !checked.errors.contains("studyd-tools") && checked.output.contains("\"part\":\"agent\""), "\(checked)")
            try await agent.stop()
        }
    }

    /// On a machine without a single part of its board.
    @Test func studydAloneRunsOnABoardOfRealDevices() async throws {
        guard access("/dev/i2c-1", F_OK) != 0 else { return print("SKIPPED: this machine may have the board's parts") }
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer"])
            try Files.write(Files.text(Programs.package + "/boards/breadboard.toml"), to: stage.folder + "/board.toml")
            let agent = try stage.start([Programs.studyd, "run", "--config", stage.folder + "/studyd.toml"])
            try await eventually("it names what is missing; it said: \(agent.errors)") {
                if let end = agent.end { throw Complaint("it ended with \(end): \(agent.errors)") }
                let status = try await stage.status()
                return status["running"].isTrue && status["faults"].list.contains { $0.text.contains("/dev/i2c-1") }
            }
            try await agent.stop()
        }
    }
}
