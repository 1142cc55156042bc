// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite(.timeLimit(.minutes(5))) struct InitTests {
    /// The unit's ExecStart has `--state /var/lib/studyd`, which is stronger than the file.
    @Test func aStateFolderThatTheServiceDoesNotUseIsSaid() async throws {
        try await Stage.with { stage in
            for (state, isSaid) in [("/var/lib/studyd", false), (stage.folder + "/state", true)] {
                let child = try stage.start([
                    Programs.studyd, "init", "--config", stage.folder + "/studyd.toml", "--replace", "--board",
                    "breadboard", "--state", state,
                ])
                #expect(try await child.ended() == 0, "\(child.errors)")
                #expect(child.errors.contains("keeps its state in /var/lib/studyd") == isSaid, "\(child.errors)")
            }
        }
    }
}
