// SPDX-License-Identifier: Apache-2.0
import Testing

/// Ctrl-C at a demo on a terminal: once for an end in good order, and again for one at once.
@Suite(.timeLimit(.minutes(10))) struct DemoInterruptTests {
    /// Presses Ctrl-C when the demo catches SIGINT (proc(5), SigCgt), and again when the terminal is as it was found.
    /// Prints how the demo ended.
    private static let twice = #"""
        import fcntl, os, pty, select, subprocess, sys, termios, time
        master, slave = pty.openpty()
        before = termios.tcgetattr(slave)
        demo = subprocess.Popen(
            sys.argv[1:], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        seen, end = b"", time.monotonic() + 240
        def wait(what, holds):
            global seen
            while not holds():
                if demo.poll() is not None:
                    sys.exit("before %s it ended with %d: %s" % (what, demo.returncode, seen.decode()))
                if time.monotonic() > end:
                    demo.kill()
                    sys.exit("%s did not come: %s" % (what, seen.decode()))
                if select.select([master], [], [], 0.05)[0]:
                    seen += os.read(master, 65536)
        def catches():
            masks = [line.split()[1] for line in open("/proc/%d/status" % demo.pid) if line.startswith("SigCgt:")]
            return int(masks[0], 16) & 2
        wait("the enrolment", lambda: b"enrolled" in seen and catches())
        if termios.tcgetattr(slave) == before:
            sys.exit("the terminal waits for whole lines")
        os.write(master, b"\x03")
        wait("the terminal is given back", lambda: termios.tcgetattr(slave) == before)
        os.write(master, b"\x03")
        print(demo.wait())
        """#

    /// Nothing listens at port 1: what the demo has to send keeps it for twenty seconds.
    @Test func theSecondCtrlCEndsAtOnceAndTheTerminalIsAsItWas() async throws {
        try await Stage.with { stage in
            let child = try stage.start([
                "/usr/bin/env", "TMPDIR=" + stage.folder, "python3", "-c", Self.twice, Programs.tools, "demo",
                "--plain", "--receiver", "http://127.0.0.1:1",
            ])
            #expect(try await child.ended() == 0, "\(child.errors)")
            // Python's word for SIGINT.
            #expect(child.output == "-2\n")
        }
    }
}
