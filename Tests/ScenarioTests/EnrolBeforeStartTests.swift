// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// `studyd enroll` by an administrator before the service has run: what it leaves must be good
/// for the service.
@Suite struct EnrolBeforeStartTests {
    @Test(.timeLimit(.minutes(20))) func aRateThatRunWouldRefuseIsRefusedBeforeAnybodyIsEnrolled() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: nil, measures: ["accelerometer"])
            try stage.board()
            let wrong = Files.text(stage.folder + "/studyd.toml").replacingOccurrence(
                of: "channel = \"accelerometer\"", with: "channel = \"accelerometer\"\nrate = 104")
            try Files.write(wrong, to: stage.folder + "/studyd.toml")
            let refused = try await stage.studyd("enroll", receiver.studyURL)
            let run = try await stage.tools("run")
            for finished in [refused, run] {
                #expect(finished.code == 1 && finished.output.isEmpty, "\(finished)")
                #expect(finished.errors.contains("LIS3DH has no rate 104; possible: 1, 10, 25, 50, 100"), "\(finished)")
                #expect(finished.errors.contains("board.toml:"), "\(finished)")
            }
            #expect(try await stage.status()["study"] == .null)
        }
    }

    @Test(.timeLimit(.minutes(20))) func whatRootEnrolsTheServicesUserCanGoOnWith() async throws {
        guard geteuid() == 0 else { return print("SKIPPED: only root can become somebody else") }
        let user = "65534"
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer"])
            try stage.board()
            chmod(stage.folder, 0o755)
            // As systemd's StateDirectory= leaves it.
            mkdir(stage.state, 0o750)
            chown(stage.state, 65534, 65534)
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            #expect(try await stage.studyd("enroll", receiver.studyURL).code == 0)
            let roots = Files.names(stage.state).filter { name in
                var status = stat()
                return lstat("\(stage.state)/\(name)", &status) != 0 || status.st_uid != 65534
            }
            #expect(roots.isEmpty, "\(roots)")

            // The service itself, as that user: the program is copied to where it may read it.
            let program = "/tmp/studyd-scenario-program-\(getpid())"
            let copy = try stage.start(["/bin/cp", Programs.tools, program])
            #expect(try await copy.ended() == 0)
            defer { unlink(program) }
            chmod(program, 0o755)
            let agent = try stage.start([
                "/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", program, "run", "--config",
                stage.folder + "/studyd.toml",
            ])
            try await eventually("the service runs with what root enrolled; it said: \(agent.errors)") {
                if let end = agent.end { throw Complaint("it ended with \(end): \(agent.errors)") }
                let status = try await stage.status()
                return status["running"].isTrue && status["study"].text == "SCENARIO" && status["faults"].list.isEmpty
            }
            try await eventually("it records") {
                try await stage.status()["measures"].list.contains { $0["stored"].int > 0 }
            }
            try await agent.stop()
        }
    }
}

extension String {
    fileprivate func replacingOccurrence(of old: String, with new: String) -> String {
        guard let place = firstRange(of: old) else { return self }
        return replacingCharacters(in: place, with: new)
    }
}
