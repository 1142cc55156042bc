// SPDX-License-Identifier: Apache-2.0
import Testing

/// What an export shows on a terminal, which is Python's pty, and what it does not show elsewhere.
@Suite(.timeLimit(.minutes(45))) struct ExportProgressTests {
    /// Runs a program on a terminal; prints what it shows there and, last, its exit code.
    private static let terminal = """
        import os, pty, sys
        pid, screen = pty.fork()
        if pid == 0:
            os.execv(sys.argv[1], sys.argv[1:])
        while True:
            try:
                shown = os.read(screen, 65536)
            except OSError:
                break
            if not shown:
                break
            sys.stdout.buffer.write(shown)
        sys.stdout.write("ended with %d" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    @Test func aTerminalHasABarThatGoesWhenItIsFull() async throws {
        try await Stage.with { stage in
            let made = stage.folder + "/made"
            let making = try stage.start([
                Programs.tools, "make-study", Programs.package + "/studies/sleep-and-movement.json", "--participants",
                "1",
                "--days", "1", "--rate", "1", "--measures", "nothing", "-o", made,
            ])
            #expect(try await making.ended(within: .seconds(2400)) == 0, "\(making.errors)")
            let words = [Programs.receiver, "export", "--data", made + "/lab", "-o"]
            let shown = try stage.start(["python3", "-c", Self.terminal] + words + [stage.folder + "/one"])
            #expect(try await shown.ended() == 0, "\(shown.errors)")
            #expect(shown.output.contains("\rexporting STUDYD1 [##############################] 100 %\r\u{1B}[K"))
            #expect(shown.output.contains("STUDYD1: 1 participant, ") && shown.output.hasSuffix("ended with 0"))
            let plain = try stage.start(words + [stage.folder + "/two"])
            #expect(try await plain.ended() == 0 && plain.errors.isEmpty, "\(plain.errors)")
            #expect(plain.output.hasPrefix("STUDYD1: 1 participant, "))
            // A zip does not belong on a screen.
            let zip = try stage.start(["python3", "-c", Self.terminal] + words + ["-"])
            #expect(try await zip.ended() == 0)
            #expect(zip.output.contains("standard output is a terminal") && zip.output.hasSuffix("ended with 2"))
        }
    }
}
