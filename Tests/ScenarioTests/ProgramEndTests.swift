// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A command that did its work ends with 0, also while one of its threads is still ending.
@Suite struct ProgramEndTests {
    private static let isPossible: Bool = {
        for path in ["/usr/bin/cc", "/usr/bin/env"] where access(path, X_OK) != 0 {
            print("SKIPPED: no thread is made to end slowly, because \(path) is not there (Debian: gcc)")
            return false
        }
        return true
    }()

    /// The rule is OpenSSL's (OPENSSL_init_crypto(3)); the thread is made slow by
    /// `Tests/mocks/slow_thread_end.c`.
    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible), arguments: ["verify-log", "status", "history"])
    func aThreadThatEndsLateHurtsNothing(_ verb: String) async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            #expect(try await stage.studyd("enroll", receiver.studyURL).code == 0)
            let library = stage.folder + "/slow.so"
            let source = Programs.package + "/Tests/mocks/slow_thread_end.c"
            #expect(try await stage.start(["/usr/bin/cc", "-shared", "-fPIC", "-o", library, source]).ended() == 0)
            let command = try stage.start(
                [
                    "/usr/bin/env", "LD_PRELOAD=" + library, Programs.studyd, verb, "--config",
                    stage.folder + "/studyd.toml",
                ])
            #expect(try await command.ended() == 0, "\(command.errors)")
        }
    }
}
