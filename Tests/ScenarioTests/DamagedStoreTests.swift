// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// The built agent on a store that was damaged in every way `Tests/AgentTests/Store/damage.py`
/// knows: it measures again and says that something is wrong; how long the slowest took is printed,
/// and `make bench` has the limit. The recordings beside the store stay as they are.
@Suite struct DamagedStoreTests {
    private static let script = Programs.package + "/Tests/AgentTests/Store/damage.py"

    @Test(.timeLimit(.minutes(20))) func itMeasuresAgainAndSaysWhatIsWrong() async throws {
        try await Stage.with { stage in
            let list = try stage.start(["python3", Self.script, "list"])
            guard try await list.ended() == 0 else {
                return print("SKIPPED: damaging stores needs python3 with sqlite3")
            }
            let kinds = list.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            try await prepare(stage)
            let originals = stage.folder
            let slowest = try await withThrowingTaskGroup(of: (String, Duration).self) { devices in
                for device in 0..<Self.devices {
                    let share = kinds.enumerated().filter { $0.offset % Self.devices == device }
                    devices.addTask { try await meet(share.map { ($0.element, $0.offset) }, from: originals) }
                }
                return try await devices.reduce(("", .zero)) { $0.1 < $1.1 ? $1 : $0 }
            }
            print("\(kinds.count) kinds of damage; slowest to measure and tell: \(slowest.0), \(slowest.1)")
        }
    }

    /// How many meet their share of the damages at the same time: most of it is waiting.
    private static let devices = 4

    /// One device that meets these, with their numbers in the list; the slowest.
    private func meet(_ kinds: [([String], Int)], from originals: String) async throws -> (String, Duration) {
        var slowest = ("", Duration.zero)
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["magnetometer"], rotate: "10m")
            // An answer would write meanwhile what is not in the originals.
            try stage.board()
            for (kind, number) in kinds {
                let took = try await meet(
                    kind[0], isTold: kind[2] == "fault", seed: number, from: originals, stage)
                if took > slowest.1 { slowest = (kind[0], took) }
            }
        }
        return slowest
    }

    /// Two stores as a power cut leaves them: `one` with a study in which answers wait to be sent,
    /// and `two` of another device.
    private func prepare(_ stage: Stage) async throws {
        try stage.configure(recordings: nil, measures: ["magnetometer"], rotate: "10m")
        try stage.board(.init(wishes: Array(repeating: "pain", count: 40)))
        // Nothing listens there: every answer waits in the outbox.
        try Files.write(
            LabStudy(postURL: "http://127.0.0.1:9/schema", modules: [LabStudy.always("pain", question: "level")]).text,
            to: stage.folder + "/study.json")
        for name in ["two", "one"] {
            let enrolled = try await stage.studyd("enroll", stage.folder + "/study.json", "--participant", "P3")
            #expect(enrolled.code == 0, "\(enrolled)")
            let agent = try await stage.agent()
            try await eventually("answers are submitted") { try await stage.submissions() >= 4 }
            try await agent.kill9()
            try await copy(stage.state, stage.folder + "/" + name, stage)
            Files.remove(stage.state)
        }
    }

    private func copy(_ from: String, _ to: String, _ stage: Stage) async throws {
        #expect(try await stage.start(["cp", "-a", from, to]).ended() == 0)
    }

    private func meet(
        _ kind: String, isTold: Bool, seed: Int, from originals: String, _ stage: Stage
    ) async throws -> Duration {
        _ = try await stage.start(["chattr", "-R", "-i", stage.state]).ended()
        Files.remove(stage.state)
        try await copy(originals + "/one", stage.state, stage)
        let words = ["python3", Self.script, "do", kind, stage.state, originals + "/two", "\(seed)"]
        let damage = try stage.start(words)
        try #require(try await damage.ended() == 0, "\(kind): \(damage.errors)")
        let sealed = Files.names(stage.state + "/recordings").sorted()
        let began = ContinuousClock.now
        let agent = try stage.start([Programs.tools, "run", "--config", stage.folder + "/studyd.toml"])
        try await eventually(
            "\(kind): it measures and tells; it said: \(agent.errors.suffix(2000))"
        ) {
            if let end = agent.end { throw Complaint("\(kind): the agent ended with \(end): \(agent.errors)") }
            guard let status = try? await stage.status(), status["running"].isTrue else { return false }
            let measures = status["measures"].list
            let faults = status["faults"].list
            return !measures.isEmpty && measures.allSatisfy { $0["stored"].int > 0 } && (!isTold || !faults.isEmpty)
        }
        let took = began.duration(to: .now)
        if !isTold { #expect(try await stage.status()["salvages"].list.isEmpty, "\(kind)") }
        let left = Set(Files.names(stage.state + "/recordings"))
        // What is open, and its journal, becomes a sealed file.
        let open = sealed.filter { $0.hasSuffix(".partial") || $0.hasSuffix(".open") || $0.hasPrefix("journal-") }
        #expect(left.isSuperset(of: sealed.filter { !open.contains($0) }), "\(kind)")
        try await agent.kill9()
        return took
    }
}
