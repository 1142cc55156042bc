// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// Programs that list folders where nothing behind an entry can be read
/// (`Tests/mocks/readdir_edge.c`).
@Suite struct FolderEdgeTests {
    private static let isPossible: Bool = {
        for path in ["/usr/bin/cc", "/usr/bin/env"] where access(path, X_OK) != 0 {
            print("SKIPPED: no folder is listed at the edge of a page, because \(path) is not there (Debian: gcc)")
            return false
        }
        return true
    }()

    /// The rule is the C library's (readdir(3), "The d_name field"). The demo lists what it finds
    /// under /tmp, /sys and its own folders, and records.
    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible))
    func nothingBehindAnEntryOfAFolderIsRead() async throws {
        try await Stage.with { stage in
            let library = stage.folder + "/edge.so"
            let source = Programs.package + "/Tests/mocks/readdir_edge.c"
            #expect(try await stage.start(["/usr/bin/cc", "-shared", "-fPIC", "-o", library, source]).ended() == 0)
            for board in ["simulated.toml", "simulated-voice.toml", "sense-hat.toml"] {
                let demo = try stage.start(
                    [
                        "/usr/bin/env", "TMPDIR=" + stage.folder, "LD_PRELOAD=" + library, Programs.tools, "demo",
                        "--for", "2s", "--board",
                        Programs.package + "/boards/" + board,
                    ])
                #expect(try await demo.ended(within: .seconds(600)) == 0, "\(board): \(demo.errors)")
            }
        }
    }
}
