// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// A device without battery-backed clock: NTP is heard, falls silent for longer than the kernel
/// believes it, and the agent is restarted. The kernel's answers are those of kernel/time/ntp.c and
/// of systemd-timesyncd (`Tests/mocks/kernel_clock.c`).
@Suite struct CarriedClockTests {
    private static let isPossible: Bool = {
        for path in ["/usr/bin/cc", "/usr/bin/env"] where access(path, X_OK) != 0 {
            print("SKIPPED: the kernel's clock is not played, because \(path) is not there (Debian: gcc)")
            return false
        }
        guard access("/sys/class/rtc/rtc0", F_OK) != 0 else {
            print("SKIPPED: this machine has a battery-backed clock; Tests/vm has a device without one")
            return false
        }
        return true
    }()

    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible)) func trustBeginsWithTheKernelsFlagAndOutlivesIt()
        async throws
    {
        try await Stage.with { stage in
            let library = try await prepare(stage)
            try kernel("alone", stage)
            let agent = try await agent(stage, library)
            #expect(try await stage.status()["clock"]["source"].text == "unknown")
            // The clock was right all along: nothing is stepped, only the flag goes.
            try kernel("in contact", stage)
            try await eventually("the agent sees it") {
                let clock = try await stage.status()["clock"]
                return clock["source"].text == "kernel" && clock["prompts"].isTrue
            }
            try kernel("alone", stage)
            try await eventually("it is carried on") { try await stage.status()["clock"]["carried"].seconds > 0 }
            let carried = try await stage.status()["clock"]
            #expect(
                carried["source"].text == "kernel" && carried["prompts"].isTrue && carried["uncertainty"].seconds < 1)
            try await agent.kill9()

            let second = try await self.agent(stage, library)
            let later = try await stage.status()["clock"]
            #expect(later["source"].text == "kernel" && later["prompts"].isTrue, "\(later)")
            #expect(later["carried"].seconds > carried["carried"].seconds)
            try await second.stop()
        }
    }

    /// The kernel counts a sleep of 30 s by a clock of whole seconds and goes on saying that it
    /// is synchronised.
    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible))
    func aSleepIsSeenAndTheKernelNotBelievedBeforeItIsMeasuredAgain()
        async throws
    {
        try await Stage.with { stage in
            let library = try await prepare(stage)
            try kernel("in contact 1 0 0", stage)
            let agent = try await agent(stage, library)
            try await eventually("the kernel is believed") {
                try await stage.status()["clock"]["source"].text == "kernel"
            }
            let before = try await stage.status()["clock"]
            #expect(before["carried"].seconds == 0 && before["uncertainty"].seconds < 1)
            #expect(access(stage.folder + "/kernel.raw", F_OK) == 0, "the bare oscillator is read")

            try kernel("in contact 1 30 31", stage)
            for _ in 0..<3 {
                let clock = try await stage.status()["clock"]
                #expect(clock["source"].text == "kernel" && clock["prompts"].isTrue, "\(clock)")
                #expect(clock["carried"].seconds > 0 && clock["uncertainty"].seconds >= 2, "\(clock)")
            }
            try await agent.kill9()

            // A minute later the kernel has added 30 ms, from which a contact differs.
            try kernel("in contact 1 30 31 60", stage)
            let second = try await self.agent(stage, library)
            let later = try await stage.status()["clock"]
            #expect(
                later["source"].text == "kernel" && later["carried"].seconds > 0, "a restart knows it, too: \(later)")
            #expect(later["uncertainty"].seconds >= 2)
            try kernel("in contact 2 30 30", stage)
            try await eventually("the kernel is believed again") {
                try await stage.status()["clock"]["carried"].seconds == 0
            }
            #expect(try await stage.status()["clock"]["uncertainty"].seconds < 1)
            try await second.stop()
        }
    }

    /// The board starts again without NTP, with a clock that is a year behind what the agent knew in this
    /// boot: what a command writes without the agent has the agent's time.
    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible)) func aCommandDatesRowsByTheAgentsClock() async throws {
        try await Stage.with { stage in
            let library = try await prepare(stage)
            try kernel("in contact 1 0 31536000", stage)
            let agent = try await agent(stage, library)
            try await eventually("the kernel is believed") {
                try await stage.status()["clock"]["source"].text == "kernel"
            }
            let study = stage.folder + "/study.json"
            let module = LabStudy.always("pain", question: "level")
            try Files.write(LabStudy(postURL: "http://127.0.0.1:1/post", modules: [module]).text, to: study)
            let enrolled = try await stage.studyd("enroll", study, "--participant", "P1")
            #expect(enrolled.code == 0, "\(enrolled)")
            try await agent.kill9()

            try kernel("alone", stage)
            let left = try stage.start([
                "/usr/bin/env", "LD_PRELOAD=\(library)", "KERNEL_CLOCK=\(stage.folder)/kernel", Programs.studyd,
                "withdraw", "--keep-unsent", "--config", stage.folder + "/studyd.toml",
            ])
            #expect(try await left.ended() == 0, "\(left.errors)")
            let events = try await stage.studyd("history", "--events").output.split(separator: "\n")
            let walls = try ["enrolled", "withdrawn"].map { kind in
                let line = try #require(events.last { $0.contains("\"\(kind)\"") }, "\(events)")
                return try JSON(parsing: String(line))["wall"].seconds
            }
            #expect(walls[0] <= walls[1] && walls[1] - walls[0] < 3600e9, "\(walls)")
            #expect(walls[1] > (Double(time(nil)) + 300 * 86_400) * 1e9)
        }
    }

    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible)) func aFilterThatDeniesTheQuestionIsNamed() async throws {
        try await Stage.with { stage in
            let library = try await prepare(stage)
            try kernel("denied", stage)
            let agent = try await agent(stage, library)
            try await eventually("the fault is named") {
                try await stage.status()["faults"].list.contains { $0.text.contains("adjtimex") }
            }
            try await agent.stop()
        }
    }

    /// A device with a clock that no source vouches for, and the kernel's clock as a library.
    private func prepare(_ stage: Stage) async throws -> String {
        try stage.configure(recordings: nil, measures: [])
        let configured = Files.text(stage.folder + "/studyd.toml").split(separator: "\n")
        try Files.write(
            configured.filter { $0 != "trust_system = true" }.joined(separator: "\n"), to: stage.folder + "/studyd.toml"
        )
        try stage.board()
        let library = stage.folder + "/kernel_clock.so"
        let compiler = try stage.start(
            ["/usr/bin/cc", "-shared", "-fPIC", "-o", library, Programs.package + "/Tests/mocks/kernel_clock.c"])
        guard try await compiler.ended() == 0 else { throw Complaint("cc: \(compiler.errors)") }
        return library
    }

    private func kernel(_ word: String, _ stage: Stage) throws { try Files.write(word, to: stage.folder + "/kernel") }

    private func agent(_ stage: Stage, _ library: String) async throws -> Child {
        let agent = try stage.start([
            "/usr/bin/env", "LD_PRELOAD=\(library)", "KERNEL_CLOCK=\(stage.folder)/kernel", Programs.tools, "run",
            "--config",
            stage.folder + "/studyd.toml",
        ])
        try await eventually("the agent answers; it said: \(agent.errors)") {
            if let end = agent.end { throw Complaint("the agent ended with \(end): \(agent.errors)") }
            return try await stage.status()["running"].isTrue
        }
        return agent
    }
}

extension JSON {
    fileprivate var seconds: Double { if case .number(let value) = self { value } else { 0 } }
}
