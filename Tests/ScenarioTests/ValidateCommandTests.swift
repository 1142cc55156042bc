// SPDX-License-Identifier: Apache-2.0
import Testing

/// What `studyd validate` ends with.
@Suite(.timeLimit(.minutes(10))) struct ValidateCommandTests {
    private static let study = Programs.package + "/studies/sleep-and-movement.json"
    private static let board = Programs.package + "/boards/simulated.toml"

    @Test(arguments: [[], ["--json"]]) func aButtonWithoutItsTaskIsRefused(options: [String]) async throws {
        try await Stage.with { stage in
            let bound = stage.folder + "/bound.toml"
            let button = "\n[[button]]\nname = \"red\"\ndevice = \"simulated\"\ncode = 30\ntask = \"nosuch\"\n"
            try Files.write(Files.text(Self.board) + button, to: bound)
            for (path, code) in [(Self.board, 0), (bound, 1)] as [(String, Int32)] {
                let child = try stage.start([Programs.studyd, "validate", Self.study, "--board", path] + options)
                #expect(try await child.ended() == code, "\(child.errors)")
                let isRefused = child.output.contains("no task 'nosuch'")
                #expect(isRefused == (code == 1), "\(child.output.suffix(600))")
                #expect(child.errors.contains("a button of this board is bound to a task") == isRefused)
            }
        }
    }

    @Test func extremeProbabilitiesAreAllowedForRulesAlone() async throws {
        try await Stage.with { stage in
            let refused = try await stage.studyd("validate", Self.study, "--board", Self.board, "--extreme")
            #expect(refused.code == 2 && refused.errors.contains("--extreme is for --rules FILE"), "\(refused)")
        }
    }
}
