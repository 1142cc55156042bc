// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Agent

/// A store that was damaged goes on with every row that is whole, names those that are lost, and
/// says so. What was kept is looked at by Python's sqlite3 and hashlib; how the file is damaged
/// follows SQLite's description of its format (sqlite.org/fileformat2.html), not our reader of it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SalvageTests {
    @Test(.enabled(if: !Damage.kinds.isEmpty)) func theDocumentationCountsTheKinds() throws {
        let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../docs/reliability.md")
        let text = try String(contentsOf: docs.standardizedFileURL, encoding: .utf8)
        #expect(text.contains("damages it in \(Damage.kinds.count) ways"))
    }

    @Test(arguments: Damage.kinds) func whateverHappensToTheStoreItGoesOn(damage: Damage) async throws {
        let folder = try await damage.apply(seed: 1)
        defer { Damage.remove(folder) }
        let database = try StudyDatabase(
            rescuing: folder + "/studyd.sqlite", recordings: folder + "/recordings",
            at: Fixture.stamp(9000, enrolment: ""))
        var found = database.foundDamage
        for _ in 0..<40 where found == nil {
            let (problem, isRoundOver) = await database.scanForDamage(512)
            if let problem { found = try await database.repair(problem, at: Fixture.stamp(9001, enrolment: "")) }
            if isRoundOver { break }
        }
        while try await database.catchUp() {}
        let memoryOnlyReason = await database.memoryOnlyReason
        let isTold = found != nil || memoryOnlyReason != nil
        #expect(isTold == damage.isTold, "\(found?.words ?? "nothing was found")")
        let isOther = damage.name == "of-a-newer-version"
        #expect((found?.isOtherVersion ?? false) == isOther, "\(found?.words ?? "nothing was found")")
        if isOther {
            #expect(found?.words.contains("its tables are of version 99, and this one knows 1") == true)
            #expect(found?.words.contains("was damaged") == false)
        }
        try await database.append([.listOpened], sending: [Fixture.draft("afterwards")], at: Fixture.stamp(9002))
        #expect(try await database.verifyLog() == nil)
        #expect(try await database.integrityErrors().isEmpty)
        #expect(try await database.counts().isBalanced)
        if await database.memoryOnlyReason == nil {
            let verdict = try await damage.verdict(folder)
            #expect(verdict.hasPrefix("ok"), "\(verdict) — \(found?.words ?? "")")
            print("\(damage.name): \(verdict)")
        } else {
            #expect(damage.name == "not-writable")
        }
    }
}
