// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing

@testable import Lab
@testable import StandIns

/// Folders that are edited while they are served.
@Suite struct MyStudiesRepositoryTests {
    private static func make(_ folder: String, study: String = "S1", tokens: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let activity =
            #"{"activity":{"type":"questionnaire","metadata":{"studyId":"\#(study)","activityId":"A","version":"1.0"},"steps":[{"type":"question","resultType":"date","key":"due"}]}}"#
        try activity.write(toFile: folder + "/A_1.0.json", atomically: true, encoding: .utf8)
        try tokens.write(toFile: folder + "/tokens.txt", atomically: true, encoding: .utf8)
    }

    /// ABCDEFGHI has the check letter that fits.
    @Test func whatTheResearcherOverlookedIsToldAtTheStartAndAfterEachChange() async throws {
        try await withFolder { folder in
            let said = Mutex<[String]>([])
            func take() -> [String] {
                said.withLock { lines in
                    defer { lines = [] }
                    return lines
                }
            }
            func slip(_ token: String) -> String { "study S1: tokens.txt: the check letter of \(token) is wrong" }
            try Self.make(folder, tokens: "ABCDEFGHI ABCDEFGHZ\n")
            let repository = try MyStudiesRepository([folder]) { line in said.withLock { $0.append(line) } }
            #expect(take().contains(slip("ABCDEFGHZ")))
            #expect(await repository.studies().map(\.id) == ["S1"])
            #expect(take().isEmpty, "nothing has changed")
            try Self.make(folder, tokens: "ABCDEFGHI ABCDEFGHX\n")
            _ = await repository.studies()
            let lines = take()
            #expect(lines.first?.hasPrefix("study S1 has changed: version ") == true, "\(lines)")
            #expect(lines.contains(slip("ABCDEFGHX")) && !lines.contains(slip("ABCDEFGHZ")), "\(lines)")
            try Self.make(folder, tokens: "ABCDEFGHI\n")
            _ = await repository.studies()
            #expect(!take().contains { $0.contains("tokens.txt") })
        }
    }

    @Test func aStudyIsServedFromOneFolderAndFoundInAnyCase() async throws {
        try await withFolder { folder in
            try Self.make(folder + "/one", tokens: "")
            try Self.make(folder + "/two", study: "s1", tokens: "")
            try Self.make(folder + "/three", study: "S2", tokens: "")
            let error = #expect(throws: StandInFailure.self) {
                try MyStudiesRepository([folder + "/three", folder + "/one", folder + "/two"]) { _ in }
            }
            #expect(error?.description == "\(folder)/two: study S1 is served from another folder too")
            let repository = try MyStudiesRepository([folder + "/one", folder + "/three"]) { _ in }
            #expect(await repository.study("s2")?.writtenID == "S2")
            #expect(await repository.study("S3") == nil)
        }
    }
}
