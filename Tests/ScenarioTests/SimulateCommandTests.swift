// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite(.timeLimit(.minutes(10))) struct SimulateCommandTests {
    /// It plays buttons only, so that a silent chip would change nothing without a word.
    @Test(arguments: [true, false]) func aSilenceOfTheBoardIsSaidToDoNothing(isThere: Bool) async throws {
        try await Stage.with { stage in
            let silence = "\n[[world.silence]]\naddress = 0x18\nuntil = \"10m\"\n"
            try Files.write(Stage.board + (isThere ? silence : ""), to: stage.folder + "/board.toml")
            let done = try await stage.studyd(
                "simulate", Programs.package + "/studies/sleep-and-movement.json", "--days", "1", "--board",
                stage.folder + "/board.toml")
            #expect(done.code == 0 && done.errors.contains("[[world.silence]]") == isThere, "\(done)")
        }
    }
}
