// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct DeliveryProgressTests {
    private static func progress(of bench: ReportBench) throws -> DeliveryProgress {
        DeliveryProgress(bench.database, state: bench.folder.path, zone: try Zone.load(AgentFixture.berlin))
    }

    private static func enrolled(hasRules: Bool, in bench: ReportBench) async throws -> EnrolmentRecord {
        var record = EnrolmentRecord(
            Fixture.enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json",
            fileDigest: try Digest(of: []))
        record.instant = ReportBench.start
        if hasRules {
            let rules = Array("rules".utf8)
            record.rules = try await bench.database.keepStudyFile(rules, source: "rules.toml", at: record.instant)
                .description
        }
        try await bench.append([.enrolled(enrolment: record)])
        return record
    }

    private static let received = ReportMemory.Ending(number: 1, at: "2026-11-25T19:01:00+01:00", answer: "received")

    /// Days since the enrolment: today, the first without a manifest at the lab, the last of which a record is there.
    /// Only an enrolment with rules owes records of its days.
    @Test(
        arguments: [
            (false, 0, nil, nil, true), (false, 1, nil, nil, false), (false, 1, 1, nil, true),
            (false, 2, 1, nil, false), (false, 2, 2, nil, true), (true, 0, nil, nil, true), (true, 1, 1, nil, false),
            (true, 1, 1, 0, true), (true, 2, 2, 0, false), (true, 2, 2, 1, true), (true, 2, 1, 1, false),
        ] as [(Bool, Int, Int?, Int?, Bool)])
    func eachDayThatIsOverIsOwed(hasRules: Bool, today: Int, manifest: Int?, record last: Int?, isOver: Bool)
        async throws
    {
        let bench = try ReportBench()
        let record = try await Self.enrolled(hasRules: hasRules, in: bench)
        let first = try Zone.load(AgentFixture.berlin).local(ReportBench.start).date
        var memory = ReportMemory()
        memory.lastReceived = Self.received
        memory.manifest = manifest.map { .init(enrolment: record.id, day: first.daysSinceEpoch + $0) }
        try bench.memory.keep(memory)
        let progress = try Self.progress(of: bench)
        let now = ReportBench.start + .seconds(today * 86_400)
        if let last {
            let name = DayRecord.manifestName(first.adding(days: last), part: 1)
            try await bench.append(
                [], sending: [DayRecord.draft(name, Array("{}".utf8), of: record, to: TusDestination.labName)])
            let item = try #require(try await bench.database.items().first)
            #expect(try await !progress.isOver(at: now), "it waits")
            #expect(try await bench.database.startUpload(item.item.id, at: Fixture.stamp(1)))
            #expect(try await !progress.isOver(at: now), "it is on its way")
            try await bench.database.finishUpload(item.item.id, .delivered(receipt: "r"), at: Fixture.stamp(2))
        }
        #expect(try await progress.isOver(at: now) == isOver)
    }

    @Test func anOutcomeIsOwedUntilAReportOfItWasReceived() async throws {
        let bench = try ReportBench()
        _ = try await Self.enrolled(hasRules: false, in: bench)
        let progress = try Self.progress(of: bench)
        #expect(try await !progress.isOver(at: ReportBench.start), "no report was received")
        var memory = ReportMemory()
        memory.lastReceived = Self.received
        try bench.memory.keep(memory)
        #expect(try await progress.isOver(at: ReportBench.start))
        try await bench.miss(1..<2)
        #expect(try await !progress.isOver(at: ReportBench.start))
        memory.row = try #require(try await bench.database.events().last).sequence
        try bench.memory.keep(memory)
        #expect(try await progress.isOver(at: ReportBench.start))
    }
}
