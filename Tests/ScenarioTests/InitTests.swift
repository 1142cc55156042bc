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

    /// Python's pty is the program's input, at its end from the beginning, and then its standard error.
    private static let terminals = #"""
        import os, pty, subprocess, sys
        master, slave = pty.openpty()
        os.write(master, b"\x04")
        for terminal in ("stdin", "stderr"):
            ends = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, terminal: slave}
            child = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, **ends)
            said = child.stderr or b""
            if terminal == "stderr":
                os.close(slave)
                try:
                    while True:
                        said += os.read(master, 65536)
                except OSError:
                    pass
            print(child.returncode != 0, b"--board" in said, b"[breadboard]" in said)
        """#

    /// Who is asked has to see the question, and needs a keyboard.
    @Test func nothingIsAskedWithHalfATerminal() async throws {
        try await Stage.with { stage in
            let child = try stage.start([
                "python3", "-c", Self.terminals, Programs.studyd, "init", "--config", stage.folder + "/studyd.toml",
            ])
            #expect(try await child.ended() == 0, "\(child.errors)")
            #expect(child.output == "True True False\nTrue True False\n", "\(child.errors)")
        }
    }

    /// The service reads the one of /etc alone.
    @Test func theNextCommandsNameAFileOfOnesOwn() async throws {
        try await Stage.with { stage in
            let file = stage.folder + "/my own.toml"
            let child = try stage.start([Programs.studyd, "init", "--config", file, "--board", "breadboard"])
            #expect(try await child.ended() == 0, "\(child.errors)")
            #expect(child.errors.contains("then studyd run --config '\(file)'"), "\(child.errors)")
            #expect(!child.errors.contains("systemctl"), "\(child.errors)")
        }
    }

    /// The old one is kept as FILE.old, and only what is asked for is replaced.
    @Test func aFileThatIsThereIsReplacedOnRequestAlone() async throws {
        try await Stage.with { stage in
            let file = stage.folder + "/studyd.toml"
            func write(_ zone: String, _ more: [String] = []) async throws -> (end: Int, errors: String) {
                let child = try stage.start(
                    [Programs.studyd, "init", "--config", file, "--board", "breadboard", "--zone", zone] + more)
                return (Int(try await child.ended()), child.errors)
            }
            let first = try await write("Europe/Berlin")
            #expect(first.end == 0, "\(first.errors)")
            let old = Files.text(file)
            #expect(old.contains("Europe/Berlin") && Files.text(file + ".old").isEmpty)
            let refused = try await write("Asia/Tokyo")
            #expect(refused.end != 0 && refused.errors.contains("already exists"), "\(refused.errors)")
            #expect(refused.errors.contains("--replace") && Files.text(file) == old)
            #expect(Files.text(file + ".old").isEmpty)
            let replaced = try await write("Asia/Tokyo", ["--replace"])
            #expect(replaced.end == 0, "\(replaced.errors)")
            #expect(Files.text(file).contains("Asia/Tokyo") && Files.text(file + ".old") == old)
        }
    }

    @Test func everyCommandKnowsTheBoardsThatComeWithStudydByName() async throws {
        try await Stage.with { stage in
            for command in [["init", "--config", stage.folder + "/studyd.toml"], ["check"], ["udev"]] {
                let child = try stage.start([Programs.studyd] + command + ["--board", "breadbord"])
                #expect(try await child.ended() == 1, "\(command)")
                #expect(child.errors.contains("did you mean 'breadboard'? Write one of"), "\(child.errors)")
            }
            let child = try stage.start([Programs.studyd, "udev", "--board", "breadboard"])
            #expect(try await child.ended() == 0 && child.output.contains("the board 'breadboard'"), "\(child.errors)")
        }
    }
}
