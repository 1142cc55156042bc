// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// A task file finds the files that it names beside it, and only those.
@Suite struct StudyCompanionTests {
    private static func task(_ resource: String) -> String {
        #"{"identifier":"T","type":"assessment","steps":[{"identifier":"a","type":"transform","resourceName":"\#(resource)"}]}"#
    }

    @Test func aTaskFileFindsTheFilesBesideIt() async throws {
        try await AgentFixture.inFolder { folder in
            let step =
                #"{"identifier":"x","type":"section","steps":[{"identifier":"b","type":"transform","resourceName":"inner"}]}"#
            let files = [
                "task.json": Self.task("outer"), "outer.json": step,
                "inner.json": #"{"identifier":"y","type":"instruction","title":"Found"}"#,
                "other.json":
                    #"{"identifier":"O","type":"assessment","steps":[{"identifier":"a","type":"instruction"}]}"#,
            ]
            for (name, text) in files { try AtomicFile.write(Array(text.utf8), to: "\(folder)/\(name)") }
            let loaded = try LoadedStudy.load(folder + "/task.json")
            #expect(loaded.study.tasks.map(\.key) == ["T"])
            #expect(loaded.study.tasks[0].content.steps.map(\.text) == ["Found"])
            // Kept whole, so that it can be read again where the files are gone.
            let again = try LoadedStudy(loaded.bytes, origin: "store")
            #expect(again.study.tasks[0].content.steps.map(\.text) == ["Found"])
        }
    }

    @Test func aFileThatIsMissingIsNamedAndNoneIsTakenFromElsewhere() async throws {
        try await AgentFixture.inFolder { folder in
            mkdir(folder + "/study", 0o700)
            try AtomicFile.write(Array(#"{"identifier":"y","type":"instruction"}"#.utf8), to: folder + "/secret.json")
            for name in ["gone", "../secret", "/secret"] {
                try AtomicFile.write(Array(Self.task(name).utf8), to: folder + "/study/task.json")
                #expect(throws: StudyFormatError.self) { try LoadedStudy.load(folder + "/study/task.json") }
            }
        }
    }
}
