// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// Commands where nothing has enrolled and no agent has run, such as on a mistyped `--state`.
@Suite(.timeLimit(.minutes(20))) struct NoStoreTests {
    private static let commands: [[String]] = [
        ["status"], ["status", "--json"], ["status", "--unblind"], ["study"], ["history"], ["history", "--events"],
        ["history", "--results"], ["history", "--seen-by-participant"], ["messages"], ["schedule"],
        ["schedule", "--set", "1=10:00"], ["reward"], ["recordings", "list"], ["verify-log"], ["prove"], ["outbox"],
        ["outbox", "resend", "3fa9"], ["outbox", "delete", "3fa9"], ["withdraw"], ["hand-over"],
        ["hand-over", "--delete-undelivered"],
    ]

    /// The folder: not there, empty, and somebody's.
    @Test(arguments: [nil, [], ["letter.txt"]] as [[String]?])
    func aCommandThatNeedsAStoreMakesNone(files: [String]?) async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: [])
            if files != nil { mkdir(stage.state, 0o750) }
            for name in files ?? [] { try Files.write("mine", to: stage.state + "/" + name) }
            for words in Self.commands {
                let child = try stage.start([Programs.studyd] + words + ["--config", stage.folder + "/studyd.toml"])
                #expect(try await child.ended() == 1, "\(words)")
                #expect(child.errors.contains("\(stage.state): there is no store here; "), "\(words): \(child.errors)")
                #expect(child.output.isEmpty, "\(words): \(child.output)")
            }
            #expect(try await stage.studyd("update-study").errors.contains("studyd is not running"))
            #expect(try await stage.studyd("support", "-o", stage.folder + "/support.zip").code == 0)
            #expect((access(stage.state, F_OK) == 0) == (files != nil))
            #expect(Files.names(stage.state) == files ?? [])
        }
    }

    /// Without a configuration too.
    @Test func aNamedStateFolderIsNotFilledEither() async throws {
        try await Stage.with { stage in
            mkdir(stage.state, 0o750)
            for words in [["status"], ["verify-log"], ["outbox"]] {
                let child = try stage.start([Programs.studyd] + words + ["--state", stage.state])
                #expect(try await child.ended() == 1, "\(words)")
                #expect(child.errors.contains("there is no store here"), "\(words): \(child.errors)")
            }
            #expect(Files.names(stage.state).isEmpty)
        }
    }
}
