// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A demo whose receiver was started before it.
@Suite(.timeLimit(.minutes(10))) struct DemoReceiverTests {
    private static func demo(_ stage: Stage, _ words: [String]) async throws -> Child {
        let demo = try stage.start(
            ["/usr/bin/env", "TMPDIR=" + stage.folder, Programs.tools, "demo", "--plain", "--script"]
                + [Programs.package + "/studies/participant.json"] + words)
        try await demo.ended()
        return demo
    }

    @Test func anAddressWithASlashAtItsEndIsTheSameAddress() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            let demo = try await Self.demo(stage, ["--for", "20s", "--receiver", receiver.address + "/"])
            #expect(demo.end == 0, "\(demo.output)\(demo.errors)")
            #expect(demo.output.contains("waiting 0 + sending 0 + refused 0"), "\(demo.output)")
            #expect(try await !receiver.files().isEmpty)
            try await receiver.process.stop()
        }
    }

    /// Nothing listens at port 1, and the platform's server is asked at the enrolment.
    @Test(arguments: [true, false]) func whatFailsIsKeptWhereThatWasAskedFor(keeps: Bool) async throws {
        try await Stage.with { stage in
            let study = Programs.package + "/studies/mystudies"
            let demo = try await Self.demo(
                stage, [study, "--for", "4s", "--receiver", "http://127.0.0.1:1"] + (keeps ? ["--keep"] : []))
            #expect(demo.end == 1 && demo.errors.contains("127.0.0.1:1"), "\(demo.output)\(demo.errors)")
            let kept = demo.output.split(separator: "\n").first { $0.hasPrefix("kept: ") }
            #expect((kept != nil) == keeps, "\(demo.output)")
            if let kept { #expect(Files.names(kept.dropFirst("kept: ".count) + "/device").contains("studyd.sqlite")) }
        }
    }
}
