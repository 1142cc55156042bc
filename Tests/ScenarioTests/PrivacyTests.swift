// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// No other user of the device reads what was answered and heard: not in files, however the program
/// was started, and not in a core file. Asked of the kernel and of coreutils.
@Suite(.timeLimit(.minutes(20))) struct PrivacyTests {
    /// `find -perm /007` (findutils) lists what others may do anything with.
    @Test func noFileIsOpenToOthersWhateverTheUmask() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: receiver.address + "/files", measures: ["accelerometer"], rotate: "10s")
            try stage.board(.init(wishes: Array(repeating: "pain", count: 20)))
            let config = stage.folder + "/studyd.toml"
            // Enrolment makes the store; neither program was asked to keep anything private.
            let enrolled = try loose(stage, "enroll \(receiver.studyURL) --participant P1 --config \(config)")
            #expect(try await enrolled.ended() == 0, "\(enrolled.errors)")
            let agent = try loose(stage, "run --config \(config)", by: Programs.tools)
            try await eventually("it records, seals and stores answers; it said: \(agent.errors)") {
                guard let status = try? await stage.status(), status["running"].isTrue else { return false }
                return Stage.submissions(status) >= 1
                    && Files.names(stage.state + "/recordings").contains { $0.hasSuffix(".cwa") }
            }
            let find = try stage.start(["find", stage.state, "-perm", "/007", "-printf", "%m %p\n"])
            #expect(try await find.ended() == 0)
            #expect(find.output.isEmpty, "open to others: \(find.output)")
            let modes = try stage.start([
                "stat", "-c", "%a", stage.state + "/studyd.sqlite", stage.state + "/studyd.sqlite-wal",
            ])
            #expect(try await modes.ended() == 0)
            for mode in modes.output.split(separator: "\n") {
                #expect(["600", "640"].contains(mode), "\(modes.output)")
            }
            // proc(5): Umask of the running process.
            let umask = Files.text("/proc/\(agent.pid)/status").split(separator: "\n").first { $0.hasPrefix("Umask:") }
            #expect(umask?.hasSuffix("0027") == true, "\(umask ?? "")")
            try await agent.stop()
        }
    }

    /// core(5): a dumpable process with a soft RLIMIT_CORE other than 0 leaves a core file on
    /// SIGABRT, and the wait status says so. The limit is taken away first thing, so a shell's
    /// `ulimit -c unlimited` before it changes nothing. Swift's own handler of crashes, which the
    /// shipped program does not have, is switched off.
    @Test func aCrashLeavesNoCoreFile() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            let script = """
                import os, resource, signal, sys, time
                resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
                child = os.fork()
                if child == 0:
                    signal.pthread_sigmask(signal.SIG_SETMASK, [])
                    signal.signal(signal.SIGABRT, signal.SIG_DFL)
                    os.execve(sys.argv[1], sys.argv[1:], os.environ | {"SWIFT_BACKTRACE": "enable=no"})
                for _ in range(600):
                    limits = open(f"/proc/{child}/limits").read() if os.path.exists(f"/proc/{child}/limits") else ""
                    row = [line for line in limits.splitlines() if line.startswith("Max core")]
                    if row and row[0].split()[4:6] == ["0", "0"] or "sleep" in sys.argv[1]:
                        break
                    time.sleep(0.05)
                if "sleep" in sys.argv[1]:
                    time.sleep(0.5)
                print(row[0].split()[4:6] if row else None, flush=True)
                os.kill(child, signal.SIGABRT)
                print("core" if os.WCOREDUMP(os.waitpid(child, 0)[1]) else "none")
                """
            try Files.write(script, to: stage.folder + "/quit.py")
            let sleeper = try stage.start([
                "/bin/sh", "-c", "cd '\(stage.folder)' && exec python3 quit.py /bin/sleep 60",
            ])
            #expect(try await sleeper.ended() == 0, "\(sleeper.errors)")
            if !sleeper.output.contains("core\n") {
                print("SKIPPED in part: this machine leaves no core file of anybody (limit or core_pattern)")
            }
            let config = stage.folder + "/studyd.toml"
            let agent = try stage.start([
                "/bin/sh", "-c",
                "cd '\(stage.folder)' && exec python3 quit.py '\(Programs.tools)' run --config '\(config)'",
            ])
            #expect(try await agent.ended() == 0, "\(agent.output) \(agent.errors)")
            #expect(agent.output == "['0', '0']\nnone\n", "\(agent.output)")
        }
    }

    /// Starts a program under a umask that takes nothing away.
    private func loose(_ stage: Stage, _ words: String, by program: String = Programs.studyd) throws -> Child {
        try stage.start(["/bin/sh", "-c", "umask 0; exec '\(program)' \(words)"])
    }
}
