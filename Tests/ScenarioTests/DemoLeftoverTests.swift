// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// What a demo leaves behind that is killed, and who takes it away.
///
/// The fact is the kernel's: flock(2), "the lock is released either by an explicit LOCK_UN
/// operation ... or when all such file descriptors have been closed", which happens to a process
/// that SIGKILL ends.
@Suite(.timeLimit(.minutes(20))) struct DemoLeftoverTests {
    private static func demo(_ stage: Stage) throws -> Child {
        // Other tests run demos too, and those take away what no process holds.
        try stage.start([
            "/usr/bin/env", "TMPDIR=" + stage.folder, Programs.tools, "demo", "--script",
            Programs.package + "/studies/participant.json", "--for", "5m",
        ])
    }

    /// Its two folders, once it has locked them and its receiver listens.
    private static func folders(_ demo: Child) async throws -> Set<String> {
        try await eventually("the demo has its folders; it said: \(demo.errors)") {
            if let end = demo.end { throw Complaint("the demo ended with \(end): \(demo.errors)") }
            let marks = demo.openFiles.filter { $0.hasPrefix("/tmp/studyd-") && $0.hasSuffix("/.in-use") }
            let all = Set(marks.map { String($0.dropLast("/.in-use".count)) })
            // The board has one in its own.
            let folders = all.filter { one in !all.contains { one.hasPrefix($0 + "/") } }
            return folders.count == 2 && demo.output.contains("see what arrives") ? folders : nil
        }
    }

    private static func areThere(_ folders: Set<String>) -> Int { folders.count { access($0, F_OK) == 0 } }

    /// The receiver that was started with that folder.
    private static func receiver(of folders: Set<String>) -> String? {
        Files.names("/proc").first { name in
            let words = Files.text("/proc/\(name)/cmdline").split(separator: "\0")
            return words.first?.hasSuffix("/study-receiver") == true
                && words.contains { word in folders.contains { word.hasPrefix($0 + "/") } }
        }
    }

    /// Nothing listens at port 1: nothing can be sent, which is no fault of the ledger.
    @Test func aDemoThatCannotSendSaysThatAndNotThatItsLedgerIsWrong() async throws {
        try await Stage.with { stage in
            let demo = try stage.start([
                "/usr/bin/env", "TMPDIR=" + stage.folder, Programs.tools, "demo", "--plain", "--script",
                Programs.package + "/studies/participant.json", "--for", "4s", "--seed", "11", "--receiver",
                "http://127.0.0.1:1",
            ])
            let code = try await demo.ended()
            #expect(code == 1 && demo.errors.contains("could not be sent"), "\(demo.output)\(demo.errors)")
            #expect(
                !demo.errors.contains("bug") && !demo.output.contains("unaccounted"), "\(demo.output)\(demo.errors)")
        }
    }

    @Test func whatAKilledDemoLeftIsTakenAwayByTheNextAndALiveOneKeepsItsOwn() async throws {
        try await Stage.with { stage in
            let killed = try Self.demo(stage)
            let dead = try await Self.folders(killed)
            #expect(Self.receiver(of: dead) != nil)
            killed.signal(SIGKILL)
            try await killed.ended()
            #expect(Self.areThere(dead) == 2, "no process is left to take them away")
            try await eventually("its receiver ends with it") { Self.receiver(of: dead) == nil }

            let second = try Self.demo(stage)
            let live = try await Self.folders(second)
            #expect(Self.areThere(dead) == 0 && Self.areThere(live) == 2)
            let checked = try stage.start([
                "/usr/bin/env", "TMPDIR=" + stage.folder, Programs.tools, "check", "--board",
                Programs.package + "/boards/simulated.toml",
            ])
            try await checked.ended()
            #expect(Self.areThere(live) == 2, "those of a demo that runs stay")
            second.signal(SIGTERM)
            try await second.ended()
            #expect(Self.areThere(live) == 0, "an orderly end leaves nothing")
        }
    }
}
