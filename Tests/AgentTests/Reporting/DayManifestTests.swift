// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct DayManifestTests {
    private static let day = LocalDate(year: 2026, month: 11, day: 25) ?? LocalDate(daysSinceEpoch: 0)

    private static func record() throws -> EnrolmentRecord {
        EnrolmentRecord(
            Fixture.enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json",
            fileDigest: try Digest(of: []))
    }

    private static func item(_ number: Int) -> ProducedItem {
        ProducedItem(
            kind: .recording, id: "\(number)", name: "000001-accelerometer.cwa",
            sha256: String(repeating: "0", count: 64),
            bytes: 1, count: 2, fate: .waiting, why: nil)
    }

    private func objects(_ bodies: [[UInt8]]) throws -> [[String: Any]] {
        try bodies.map { try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]) }
    }

    @Test func aDayWithoutAnythingIsOneWithoutParts() throws {
        let manifest = DayManifest(record: try Self.record(), day: Self.day, entries: [])
        let object = try #require(try objects(manifest.encoded()).first)
        #expect(object["part"] == nil && object["parts"] == nil && object["day"] as? String == "2026-11-25")
        #expect((object["entries"] as? [Any])?.isEmpty == true)
    }

    /// Around the limit: every entry once, in order, and no body above it.
    @Test(arguments: [1, 2, 3, 10, 400]) func partsHoldEverythingOnceAndAreBelowTheLimit(count: Int) throws {
        let manifest = DayManifest(record: try Self.record(), day: Self.day, entries: (1...count).map(Self.item))
        let size = manifest.encoded()[0].count
        for limit in [size - 1, size, size + 40, 1000, DayManifest.limit] {
            let bodies = manifest.encoded(limit: limit)
            let parts = try objects(bodies)
            let ids = parts.flatMap { ($0["entries"] as? [[String: Any]] ?? []).map { $0["id"] as? String ?? "" } }
            #expect(ids == (1...count).map(String.init))
            #expect(bodies.allSatisfy { $0.count <= limit } || count == 1)
            guard parts.count > 1 else { continue }
            #expect(parts.map { $0["part"] as? Int } == (1...parts.count).map { $0 })
            #expect(parts.allSatisfy { $0["parts"] as? Int == parts.count })
        }
    }

    // MARK: - What is in it

    private static let span = (start: Instant(seconds: 1_800_000_000), end: Instant(seconds: 1_800_086_400))

    private func lines(_ database: StudyDatabase, _ routes: LabRoutes) async throws -> [String] {
        try await database.produced(of: "e1", from: Self.span.start, to: Self.span.end, routes).map {
            "\($0.kind.rawValue) \($0.id.prefix(4)) \($0.fate.rawValue) \($0.why ?? "-")"
        }
    }

    private static let lab = ConfiguredDestination.recordings(to: "http://lab.example/files")

    @Test func recordingsSayWhatBecameOfThem() async throws {
        let database = try StudyDatabase(.memory)
        let stamp = Fixture.stamp(60)
        func seal(_ id: String, _ itemClass: ItemClass = .motion) async throws -> String {
            let recording = Fixture.recording(id, itemClass)
            try await database.append(
                [.recordingSealed(recording: recording)], sending: [Fixture.file(of: recording)], at: stamp)
            return try #require(try await database.items().last).item.id
        }
        for id in ["1", "2", "3", "4"] { _ = try await seal(id) }
        let memo = try await seal("5", .answers)
        let refused = try await seal("6")
        try await database.append(
            [
                .recordingRemoved(recording: "2", reason: .diskCap),
                .recordingRemoved(recording: "3", reason: .withdrawal),
                .recordingRemoved(recording: "4", reason: .byHand), .uploadDelivered(item: memo, receipt: "201"),
                .uploadRefused(item: refused, reason: "413"),
            ], at: stamp)
        #expect(
            try await lines(database, LabRoutes([Self.lab], lab: nil)) == [
                "recording 1 waiting -", "recording 2 given up the disk was full", "recording 3 deleted withdrawal",
                "recording 4 deleted by-hand", "memo 5 delivered -", "recording 6 given up refused: 413",
            ])
        #expect(
            try await lines(database, LabRoutes([], lab: nil)).first
                == "recording 1 waiting it stays on the device: no destination")
    }

    /// It gets what was queued for it; of the rest, and of what was queued for one that is no longer
    /// configured, nothing leaves the device.
    @Test func whatADestinationDoesNotPickStaysOnTheDevice() async throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let radar = try RadarPlatform.destination(["url": .text("https://radar.example/")], folder)
        try #require(radar.picksRecordings)
        let database = try StudyDatabase(.memory)
        for (id, destination) in [("1", "radar"), ("2", nil), ("3", "former")] as [(String, String?)] {
            let recording = Fixture.recording(id, .motion)
            let drafts = destination.map {
                [
                    OutboxDraft(
                        origin: "recording \(id)", itemClass: .motion, destination: $0,
                        content: Fixture.file(of: recording).content)
                ]
            }
            try await database.append(
                [.recordingSealed(recording: recording)], sending: drafts ?? [], at: Fixture.stamp(60))
        }
        let stays = "it stays on the device: no destination"
        for (routes, why) in [
            (LabRoutes([ConfiguredDestination(radar, takes: .both)], lab: nil), "goes to radar"),
            (LabRoutes([], lab: nil), stays),
        ] {
            #expect(
                try await lines(database, routes) == [
                    "recording 1 waiting \(why)", "recording 2 waiting \(stays)", "recording 3 waiting \(stays)",
                ])
        }
    }

    /// A recording of yesterday that was given up today is in today's manifest, too: else the
    /// lab would wait for it for ever.
    @Test func whatIsGivenUpLaterIsToldOnThatDay() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append(
            [.recordingSealed(recording: Fixture.recording("1", .motion))], at: Fixture.stamp(-86_000))
        #expect(try await lines(database, LabRoutes([Self.lab], lab: nil)).isEmpty)
        try await database.append([.recordingRemoved(recording: "1", reason: .diskCap)], at: Fixture.stamp(10))
        #expect(
            try await lines(database, LabRoutes([Self.lab], lab: nil)) == ["recording 1 given up the disk was full"])
    }

    /// Answers that go to the study's own server say so; those for the lab's do not. The digest is
    /// that of the body, by coreutils' sha256sum.
    @Test func submissionsSayWhereTheyGoUnlessThatIsTheLab() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([], sending: [Fixture.draft("a")], at: Fixture.stamp(5))
        try await database.append([], sending: [Fixture.draft("log", .events)], at: Fixture.stamp(5))
        let elsewhere = try await database.produced(
            of: "e1", from: Self.span.start, to: Self.span.end, LabRoutes([Self.lab], lab: "http://lab.example/files"))
        #expect(elsewhere.map(\.why) == ["goes to study"] && elsewhere.map(\.kind) == [.submission])
        // printf a | sha256sum
        #expect(elsewhere.first?.sha256 == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb")
        let here = try await database.produced(
            of: "e1", from: Self.span.start, to: Self.span.end,
            LabRoutes([Self.lab], lab: "http://example.invalid/files"))
        #expect(here.map(\.why) == [nil])
    }

    @Test func aDayHoldsItsFirstMomentAndNotTheNextDays() async throws {
        let database = try StudyDatabase(.memory)
        for (id, second) in [("1", -1), ("2", 0), ("3", 86_399), ("4", 86_400)] as [(String, Int64)] {
            try await database.append(
                [.recordingSealed(recording: Fixture.recording(id, .motion))], at: Fixture.stamp(second))
        }
        let found = try await database.produced(
            of: "e1", from: Self.span.start, to: Self.span.end, LabRoutes([], lab: nil))
        #expect(found.map(\.id) == ["2", "3"])
    }
}
