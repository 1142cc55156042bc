// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// The unit's filter against the calls that the program makes: strace says which those are, systemd
/// what the unit allows.
@Suite struct UnitFilterTests {
    private static let unit = Files.text(Programs.package + "/systemd/studyd.service")
    private static let setClock = Files.text(Programs.package + "/systemd/set-clock.conf")

    /// A program of Debian's that stands where it always does; nil and a loud word where it is not.
    private static func tool(_ path: String) -> Bool {
        if access(path, X_OK) == 0 { return true }
        print("SKIPPED: the unit's filter of system calls is not compared, because \(path) is not there")
        return false
    }

    private static func systemdsSets(_ stage: Stage) async throws -> [String: [String]] {
        let printed = try stage.start(["/usr/bin/systemd-analyze", "syscall-filter", "--no-pager"])
        try await printed.ended()
        return UnitFilter.sets(printed: printed.output)
    }

    @Test(.timeLimit(.minutes(20)), .enabled(if: tool("/usr/bin/strace") && tool("/usr/bin/systemd-analyze")))
    func everyCallOfARealDayIsAllowed() async throws {
        try await Stage.with { stage in
            let sets = try await Self.systemdsSets(stage)
            #expect(sets["@clock"]?.contains("adjtimex") == true && sets["@system-service"]?.isEmpty == false)
            let filter = UnitFilter([Self.unit], sets: sets)
            let calls = try await calls(of: stage)
            #expect(calls.contains("adjtimex") || calls.contains("clock_adjtime"), "the clock was asked: \(calls)")
            #expect(calls.isSuperset(of: ["timerfd_settime", "fdatasync", "sendto"]), "it did real work: \(calls)")
            // SQLite gives a journal the owner of its database, but only as root (os_unix.c,
            // robustFchown); the service is not.
            let roots: Set<String> = geteuid() == 0 ? ["fchown"] : []
            let denied = calls.subtracting(filter.allowed).subtracting(roots)
            #expect(denied.sorted() == [], "the unit denies what the program does")
            #expect(!filter.allowed.contains("clock_settime") && filter.capabilities.isEmpty, "nothing sets the clock")

            let setting = UnitFilter([Self.unit, Self.setClock], sets: sets)
            #expect(setting.allowed.subtracting(filter.allowed).sorted() == ["clock_settime", "clock_settime64"])
            #expect(setting.capabilities == ["CAP_SYS_TIME"])
            #expect(setting.settings["AmbientCapabilities"] == ["CAP_SYS_TIME"])
            #expect(
                setting.settings["ProtectClock"]?.last == "no", "which would take the capability and the call again")
        }
    }

    /// Names of all calls of an agent that takes a study, asks, records, sends, and is asked to
    /// end.
    private func calls(of stage: Stage) async throws -> Set<String> {
        let receiver = try await LabReceiver(stage)
        try receiver.serve([LabStudy.always("pain", question: "level")])
        try stage.configure(recordings: receiver.address + "/files")
        try stage.board(.init(participant: #"{"latency":"0s","answers":{"level":[3]}}"#, wishes: ["pain"]))
        let trace = stage.folder + "/calls"
        // -D: the tracer is the child, so that a signal reaches the agent.
        let agent = try stage.start(
            ["/usr/bin/strace", "-D", "-f", "-qq", "-o", trace, "-e", "trace=all", "-e", "signal=none", "-s", "0"]
                + [Programs.tools, "run", "--config", stage.folder + "/studyd.toml"])
        try await eventually("the agent answers; it said: \(agent.errors)") {
            agent.end == nil ? try await stage.status()["running"].isTrue : true
        }
        guard agent.end == nil else { throw Complaint("strace: \(agent.errors)") }
        #expect(try await stage.studyd("enroll", receiver.studyURL).code == 0)
        try await eventually("an answer and recordings have arrived") {
            let status = try await stage.status()
            return status["ledger"]["items"]["delivered"].int >= 5 && Stage.submissions(status) > 0
        }
        #expect(try await stage.studyd("withdraw").code == 0)
        try await agent.stop()
        return try await eventually("the tracer has written its list") {
            let text = Files.text(trace)
            return text.contains("exit_group") ? Self.names(in: text) : nil
        }
    }

    /// A line of strace: process, then the call, or `<... call resumed>`.
    private static func names(in trace: String) -> Set<String> {
        var names: Set<String> = []
        for line in trace.split(separator: "\n") {
            let rest = line.drop { $0.isNumber }.drop { $0 == " " }
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if !name.isEmpty, rest.dropFirst(name.count).first == "(" { names.insert(String(name)) }
        }
        return names
    }

    /// Sounds that need an installed program are decoded by the same one, byte for byte, under the
    /// unit's filter and without memory that is written and run.
    @Test(
        .timeLimit(.minutes(20)),
        .enabled(if: tool("/usr/bin/ffmpeg") && tool("/usr/bin/python3") && tool("/usr/bin/systemd-analyze")))
    func soundsAreDecodedInsideTheUnit() async throws {
        try await Stage.with { stage in
            let filter = UnitFilter([Self.unit], sets: try await Self.systemdsSets(stage))
            #expect(
                filter.settings["MemoryDenyWriteExecute"] == ["yes"]
                    && filter.settings["SystemCallErrorNumber"] == ["EPERM"])
            let calls = stage.folder + "/calls"
            try Files.write(filter.allowed.sorted().joined(separator: "\n"), to: calls)
            let sandbox = ["/usr/bin/python3", Programs.package + "/Tests/ScenarioTests/unit_sandbox.py", calls, "--"]
            // That it denies anything at all: a clock that is set, and memory that is
            // written and run.
            let forbidden = try stage.start(
                sandbox + [
                    "/usr/bin/python3", "-c",
                    """
                    import ctypes, mmap, time
                    def refused(what):
                        try: what()
                        except PermissionError: return True
                    code = lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
                    print(refused(lambda: time.clock_settime(time.CLOCK_REALTIME, 0)), refused(code))
                    """,
                ])
            #expect(
                try await forbidden.ended() == 0 && forbidden.output == "True True\n",
                "\(forbidden.output)\(forbidden.errors)")
            let sounds = [
                ("x.m4a", "aac"), ("x.mp4", "aac"), ("x.aac", "aac"), ("x.webm", "libopus"), ("x.mka", "libvorbis"),
                ("x.mp3", "libmp3lame"), ("x.flac", "flac"),
            ]
            for (name, codec) in sounds {
                let file = stage.folder + "/" + name
                let made = try stage.start([
                    "/usr/bin/ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=2", "-c:a",
                    codec,
                    file,
                ])
                #expect(try await made.ended() == 0, "\(made.errors)")
                for (place, before) in [("free", []), ("unit", sandbox)] {
                    let ended = try stage.start(before + [Programs.studyd, "decode-sound", file, file + "." + place])
                    #expect(try await ended.ended() == 0, "\(name), \(place): \(ended.output)\(ended.errors)")
                }
                let same = try stage.start(["/usr/bin/cmp", file + ".free", file + ".unit"])
                #expect(try await same.ended() == 0, "\(name): \(same.output)\(same.errors)")
                var status = stat()
                #expect(stat(file + ".unit", &status) == 0 && status.st_size > 2 * 2 * 40_000)
            }
        }
    }

    /// As systemd.exec(5) has it: what stands later decides.
    @Test func laterLinesAddAndTakeAway() {
        let sets = [
            "@default": ["read"], "@clock": ["adjtimex"], "@privileged": ["@clock", "chroot"],
            "@all": ["open", "chroot"],
        ]
        let denied = UnitFilter(
            ["SystemCallFilter=@all\nSystemCallFilter=adjtimex\nSystemCallFilter=~@privileged"], sets: sets)
        #expect(denied.allowed == ["read", "open"])
        let kept = UnitFilter(
            ["SystemCallFilter=@all\nSystemCallFilter=~@privileged\nSystemCallFilter=adjtimex"], sets: sets)
        #expect(kept.allowed == ["read", "open", "adjtimex"])
    }
}
