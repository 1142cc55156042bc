// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A folder that was named belongs to the user: the demo removes nothing there.
@Suite(.timeLimit(.minutes(10))) struct DemoFolderTests {
    private static func demo(_ stage: Stage, state: String) async throws -> Child {
        let demo = try stage.start([
            Programs.tools, "demo", "--script", Programs.package + "/studies/participant.json", "--for", "4s",
            "--state", state,
        ])
        try await demo.ended()
        return demo
    }

    @Test func aFolderThatHoldsAnythingIsRefusedAndStaysAsItWas() async throws {
        try await Stage.with { stage in
            let folder = stage.folder + "/mine"
            #expect(mkdir(folder, 0o755) == 0)
            try Files.write("precious", to: folder + "/thesis.txt")
            let demo = try await Self.demo(stage, state: folder)
            #expect(demo.end == 1)
            #expect(demo.errors.contains("\(folder): is not empty (it holds thesis.txt)"))
            #expect(demo.errors.contains("name a new or empty folder with --state"))
            #expect(Files.names(folder) == ["thesis.txt"] && Files.text(folder + "/thesis.txt") == "precious")
        }
    }

    @Test(arguments: [true, false]) func aNewOrEmptyFolderIsUsedAndKeptWithoutBeingAsked(isThere: Bool) async throws {
        try await Stage.with { stage in
            let folder = stage.folder + "/mine"
            if isThere { #expect(mkdir(folder, 0o755) == 0) }
            let demo = try await Self.demo(stage, state: folder)
            #expect(demo.output.contains("kept: \(folder)"), "\(demo.errors)")
            #expect(Files.names(folder) == ["device", "receiver"])
            let again = try await Self.demo(stage, state: folder)
            #expect(again.errors.contains("is not empty (it holds "))
        }
    }

    @Test func whatIsNoFolderIsRefusedWithItsReason() async throws {
        try await Stage.with { stage in
            let demo = try await Self.demo(stage, state: stage.folder + "/none/mine")
            #expect(demo.errors.contains("/none/mine: No such file or directory"))
        }
    }
}
