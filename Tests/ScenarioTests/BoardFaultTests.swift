// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// What can be wrong with a board or with the start, and what is said of it.
@Suite struct BoardFaultTests {
    @Test(.timeLimit(.minutes(20))) func secondAgentIsRefused() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            let agent = try await stage.agent()
            let second = try await stage.tools("run")
            #expect(
                second.code == 1 && second.errors.contains("another studyd is running with this state folder"),
                "\(second)")
            #expect(try await stage.status()["running"].isTrue)
            try await agent.stop()
        }
    }

    /// A change of the board file, and what the refusal must say.
    static let mistakes: [(change: String, to: String, says: [String])] = [
        (
            "rgb = true", "rbg = true",
            [
                "board.toml:\(line(of: "rgb = true"))", "light[0].rbg", "unknown key",
                "known keys: active_low, button, device, name, rgb",
            ]
        ),
        (
            "address = 0x1E", "address = 0x99",
            ["board.toml:\(line(of: "address = 0x1E"))", "chip[1].address", "0x99 is outside 0x08 to 0x77"]
        ),
    ]

    @Test(.timeLimit(.minutes(20)), arguments: mistakes.indices)
    func mistakeInTheBoardFileIsLocated(_ index: Int) async throws {
        let mistake = Self.mistakes[index]
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            let text = Files.text(stage.folder + "/board.toml")
            let start = try #require(text.firstRange(of: mistake.change))
            try Files.write(text.replacingCharacters(in: start, with: mistake.to), to: stage.folder + "/board.toml")
            let run = try await stage.tools("run")
            #expect(run.code == 1)
            for part in mistake.says { #expect(run.errors.contains(part), "\(run.errors)") }
        }
    }

    /// The line of the first occurrence of a text in the board file.
    private static func line(of text: String) -> Int {
        guard let start = Stage.board.firstRange(of: text)?.lowerBound else { return -1 }
        return Stage.board[..<start].count { $0 == "\n" } + 1
    }

    @Test(.timeLimit(.minutes(20))) func silentChipIsNamedAndTriedAgain() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer", "magnetometer"])
            try stage.board(.init(silentAddress: "0x1E"))
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            #expect(try await stage.studyd("enroll", receiver.studyURL).code == 0)
            let agent = try await stage.agent()
            let faults = try await eventually("the silent chip is reported") {
                let faults = try await stage.status()["faults"].list
                return faults.isEmpty ? nil : faults
            }
            let words = faults[0].text
            for part in [".toml:", "chip[1]", "LIS3MDL", "motion", "0x1E", "does not respond", "check"] {
                #expect(words.contains(part), "\(words)")
            }
            #expect(try await stage.studyd("status").output.contains("FAULT       " + words))
            #expect(agent.errors.contains(words))
            try await eventually("the other chip is recorded meanwhile") {
                try await stage.status()["measures"].list.contains {
                    $0["channel"].text == "accelerometer" && $0["stored"].int > 0
                }
            }
            unlink(stage.silence)
            try await eventually("the chip is found when it answers") {
                let status = try await stage.status()
                let magnetometer = status["measures"].list.first { $0["channel"].text == "magnetometer" } ?? .null
                return magnetometer["stored"].int > 0 && magnetometer["lost"].int > 0 && status["faults"].list.isEmpty
            }
            try await agent.stop()
            try await stage.expectWhole()
        }
    }
}

extension String {
    func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
