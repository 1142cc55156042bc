// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A dataset as a zip on standard output, by the built program.
@Suite(.timeLimit(.minutes(45))) struct ZippedDatasetTests {
    /// Ends the export in the middle, as no program can catch it: it writes into a pipe of one page
    /// of which a byte is read.
    private static let killer = """
        import subprocess, sys
        export = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, bufsize=0, pipesize=4096)
        assert export.stdout.read(1) == b"P"
        export.kill()
        print(export.wait())
        """

    /// The kernel's word: SIGKILL, and the lock that goes with the process.
    @Test func whatAKilledExportLeftGoesWithTheNext() async throws {
        try await Stage.with { stage in
            let (made, temporary) = (stage.folder + "/made", stage.folder + "/temporary")
            try #require(mkdir(temporary, 0o700) == 0)
            let making = try stage.start([
                Programs.tools, "make-study", Programs.package + "/studies/sleep-and-movement.json", "--participants",
                "1", "--days", "1", "--rate", "1", "--measures", "nothing", "-o", made,
            ])
            #expect(try await making.ended(within: .seconds(2400)) == 0, "\(making.errors)")
            let export = [Programs.receiver, "export", "--data", made + "/lab", "-o", "-"]
            let killed = try stage.start(["env", "TMPDIR=" + temporary, "python3", "-c", Self.killer] + export)
            #expect(try await killed.ended() == 0, "\(killed.errors)")
            #expect(killed.output == "-9\n")
            let left = Files.names(temporary)
            #expect(left.count == 1 && left.first?.hasPrefix("studyd-dataset-") == true, "\(left)")
            #expect(!Files.names("\(temporary)/\(left.first ?? "")/tables").isEmpty, "answers in the clear")
            let next = try stage.start(["env", "TMPDIR=" + temporary] + export)
            #expect(try await next.ended() == 0, "\(next.errors)")
            #expect(Files.names(temporary).isEmpty)
        }
    }
}
