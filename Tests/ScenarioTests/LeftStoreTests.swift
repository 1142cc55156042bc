// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// The built agent on a state folder in which something is in its way, or is taken
/// away while it runs.
@Suite(.serialized) struct LeftStoreTests {
    /// A database that root owns with mode 0600, as a copy by hand leaves it: the kernel says
    /// "Permission denied", and nothing is damaged.
    @Test(.timeLimit(.minutes(20))) func aStoreThatMayNotBeReadIsLeftAndTakenWhenItMay() async throws {
        guard geteuid() == 0 else { return print("SKIPPED: only root can become somebody else") }
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["magnetometer"], rotate: "10s")
            try stage.board()
            chmod(stage.folder, 0o755)
            mkdir(stage.state, 0o750)
            chown(stage.state, 65534, 65534)
            try Files.write(
                LabStudy(postURL: "http://127.0.0.1:9/schema", modules: [LabStudy.always("pain", question: "level")])
                    .text,
                to: stage.folder + "/study.json")
            // Whatever umask other tests have left in this process.
            for name in Files.names(stage.folder) where name != "state" { chmod(stage.folder + "/" + name, 0o644) }
            let enrolled = try await stage.studyd("enroll", stage.folder + "/study.json", "--participant", "P3")
            #expect(enrolled.code == 0, "\(enrolled)")
            let program = "/tmp/studyd-left-store-program-\(getpid())"
            #expect(try await stage.start(["/bin/cp", Programs.tools, program]).ended() == 0)
            defer { unlink(program) }
            chmod(program, 0o755)
            let command = [
                "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, "run", "--config",
                stage.folder + "/studyd.toml",
            ]
            // Who takes part is kept beside the store as soon as the agent has run.
            let first = try stage.start(command)
            try await eventually("who takes part is kept; it said: \(first.errors)") {
                !Files.text(stage.state + "/enrolment").isEmpty
            }
            try await first.stop()
            let database = stage.state + "/studyd.sqlite"
            chown(database, 0, 0)
            chmod(database, 0o600)
            let before = Files.text(stage.state + "/enrolment")
            let agent = try stage.start(command)
            try await eventually(
                "it measures and says why nothing is stored; it said: \(agent.errors)"
            ) {
                if let end = agent.end { throw Complaint("it ended with \(end): \(agent.errors)") }
                // Before the agent answers, root's command opens the store itself and gives its
                // files back to their owner.
                guard Files.names(stage.state).contains("control.sock") else { return false }
                guard let status = try? await stage.status(), status["running"].isTrue else { return false }
                let measures = status["measures"].list
                return !measures.isEmpty && measures.allSatisfy { $0["stored"].int > 0 }
                    && status["faults"].list.contains {
                        $0.text.contains("Permission denied") && $0.text.contains("mode 600")
                    }
            }
            let said = try await stage.status()
            #expect(said["study"].text == "SCENARIO" && !said["prompts"].isTrue, "as the file beside the store says")
            #expect(Files.names(stage.state).filter { $0 == "damaged" }.isEmpty)
            var status = stat()
            #expect(lstat(database, &status) == 0 && status.st_uid == 0 && status.st_mode & 0o777 == 0o600)
            #expect(Files.text(stage.state + "/enrolment") == before)
            try await eventually("a recording is sealed meanwhile") {
                Files.names(stage.state + "/recordings").contains { $0.hasSuffix(".csv.gz") }
            }
            chown(database, 65534, 65534)
            try await eventually("the study is there, and nothing is wrong any more") {
                let status = try await stage.status()
                return status["study"].text == "SCENARIO" && status["participant"].text == "P3"
                    && status["faults"].list.isEmpty
            }
            #expect(try await stage.status()["salvages"].list.isEmpty)
            try await agent.stop()
            let log = try await stage.studyd("verify-log")
            #expect(log.code == 0 && log.output.contains("intact"), "\(log)")
            let sealed = Files.names(stage.state + "/recordings").filter { $0.hasSuffix(".csv.gz") }
            #expect(!sealed.isEmpty)
        }
    }

    /// What is found in a place of ours and is of another kind is moved beside it: a file for a
    /// folder, a folder for the socket.
    @Test(.timeLimit(.minutes(20))) func whatIsInTheWayIsMovedAsideAndTold() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["magnetometer"])
            try stage.board()
            mkdir(stage.state, 0o750)
            for name in ["control.sock", "lock", "studyd.head", "reserve"] {
                mkdir(stage.state + "/" + name, 0o750)
                try Files.write("somebody's", to: stage.state + "/\(name)/thing")
            }
            for name in ["recordings", "results", "media", "speech"] {
                try Files.write("somebody's", to: stage.state + "/" + name)
            }
            let agent = try await stage.agent()
            try await eventually("it says what it moved; it said: \(agent.errors)") {
                let faults = try await stage.status()["faults"].list.map(\.text)
                return ["control.sock", "lock", "studyd.head", "reserve", "recordings", "results", "media", "speech"]
                    .allSatisfy { name in faults.contains { $0.contains("/\(name): was") && $0.contains(".aside-1") } }
            }
            #expect(Files.text(stage.state + "/recordings.aside-1") == "somebody's")
            #expect(Files.text(stage.state + "/control.sock.aside-1/thing") == "somebody's")
            try await agent.stop()
            // It is reported once.
            let second = try await stage.agent()
            #expect(try await stage.status()["faults"].list.isEmpty)
            try await second.stop()
        }
    }

    /// The store is taken away under the agent, or the index that SQLite maps into memory is cut
    /// short: seen within seconds, and nothing is lost.
    @Test(
        .timeLimit(.minutes(20)),
        arguments: ["rm studyd.sqlite*", ": > studyd.sqlite-shm", "rm studyd.sqlite-wal", "rm studyd.head"])
    func whatIsTakenAwayIsWrittenAgain(deed: String) async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["magnetometer"], rotate: "10s")
            try stage.board()
            try Files.write(
                LabStudy(postURL: "http://127.0.0.1:9/schema", modules: [LabStudy.always("pain", question: "level")])
                    .text,
                to: stage.folder + "/study.json")
            #expect(try await stage.studyd("enroll", stage.folder + "/study.json", "--participant", "P3").code == 0)
            let agent = try await stage.agent()
            try await eventually("it measures") {
                try await stage.status()["measures"].list.contains { $0["stored"].int > 0 }
            }
            #expect(try await stage.start(["/bin/sh", "-c", "cd '\(stage.state)' && \(deed)"]).ended() == 0)
            let isIndex = deed.hasSuffix("-shm")
            try await eventually("it is seen; it said: \(agent.errors)") {
                if let end = agent.end { throw Complaint("it ended with \(end): \(agent.errors)") }
                if isIndex { return true }
                return try await stage.status()["faults"].list.contains { $0.text.contains("while the agent ran") }
            }
            try await eventually("and measuring goes on") {
                Files.names(stage.state + "/recordings").count { $0.hasSuffix(".csv.gz") } >= 2
            }
            #expect(agent.end == nil)
            try await agent.stop()
            let log = try await stage.studyd("verify-log")
            #expect(log.code == 0, "\(log)")
            #expect(try await stage.status()["participant"].text == "P3")
        }
    }
}
