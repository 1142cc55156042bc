// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Agent
@testable import Study

struct RetentionPolicyTests {
    private func view(_ id: String, _ itemClass: ItemClass, sealed: Int64, delivered: Bool) -> RecordingView {
        RecordingView(
            recording: Fixture.recording(id, itemClass), enrolment: "e1", sealed: Fixture.stamp(sealed).wall,
            removed: nil,
            isDelivered: delivered)
    }

    @Test(arguments: [
        (1000, 50, ["a retention"]), (1000, 100, ["a retention"]), (1000, 101, []), (1000, 500, []),
        (300, 500, ["a retention"]),
        (200, 500, ["a retention", "b retention"]), (100, 500, ["a retention", "b retention", "d disk-cap"]),
        (0, 500, ["a retention", "b retention", "d disk-cap", "c disk-cap"]),
    ])
    func lowestClassGoesFirstAndDeliveredBeforeAll(cap: Int64, keep: Int, expected: [String]) {
        let views = [
            view("a", .motion, sealed: 0, delivered: true), view("b", .sound, sealed: 60, delivered: true),
            view("c", .motion, sealed: 1, delivered: false), view("d", .sound, sealed: 70, delivered: false),
        ]
        let policy = RetentionPolicy(diskCap: cap, keepDelivered: .seconds(keep))
        let removals = policy.removals(of: views, at: Fixture.stamp(100).wall)
        #expect(removals.map { "\($0.recording) \($0.reason.rawValue)" } == expected)
    }

    @Test(arguments: [(300, ""), (299, "b"), (200, "b"), (199, "bd"), (0, "bde")])
    func tooLittleFreeSpaceTakesTheLowestClassesAndTheOldestFirst(free: Int, expected: String) {
        let views = [
            view("a", .answers, sealed: 0, delivered: false), view("b", .motion, sealed: 60, delivered: true),
            view("c", .motion, sealed: 1, delivered: false), view("d", .sound, sealed: 70, delivered: false),
            view("e", .sound, sealed: 80, delivered: false),
        ]
        let policy = RetentionPolicy(diskCap: 10_000, keepDelivered: .seconds(500), freeSpaceFloor: 1 << 40)
        // A twentieth of the disk is less than that floor.
        let disk = RetentionPolicy.Disk(free: Int64(free), size: 6000)
        let removals = policy.removals(of: views, at: Fixture.stamp(100).wall, on: disk)
        #expect(removals.map(\.recording).joined() == expected)
        #expect(removals.dropFirst().allSatisfy { $0.reason == .diskCap })
    }

    @Test func theCapDropsItemsWithTheirRecordingsAndDeletesTheFiles() async throws {
        let folder = NSTemporaryDirectory() + "\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.memory, recordings: folder)
        for (index, itemClass) in [ItemClass.motion, .sound, .motion].enumerated() {
            let recording = Fixture.recording("r\(index)", itemClass)
            try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(recording.path)"))
            try await database.append(
                [.recordingSealed(recording: recording)], sending: [Fixture.file(of: recording)],
                at: Fixture.stamp(Int64(index)))
        }
        try await database.applyRetention(RetentionPolicy(diskCap: 150, keepDelivered: .zero), at: Fixture.stamp(9))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["r2.cwa"])
        #expect(try await database.counts().items == [.dropped: 2, .waiting: 1])
        #expect(try await database.recordingViews().map(\.removed) == [.diskCap, .diskCap, nil])
    }

    /// The log, its journal and all else in the state folder count as well, by what find(1) says
    /// that they take; at the cap nothing goes.
    @Test(arguments: [Int64(0), -1, -100_000, -100_001, -300_000]) func theCapIsForTheWholeStateFolder(room: Int64)
        async throws
    {
        let state = NSTemporaryDirectory() + "\(UUID())"
        let recordings = state + "/recordings"
        for folder in [recordings, state + "/results/e1", state + "/damaged/1"] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(atPath: state) }
        let database = try StudyDatabase(
            rescuing: state + "/studyd.sqlite", recordings: recordings, at: Fixture.stamp(0))
        for name in ["results/e1/pain.json", "damaged/1/studyd.sqlite", "recordings/000009-sound.flac.open"] {
            try Data(count: 50_000).write(to: URL(fileURLWithPath: state + "/" + name))
        }
        for number in 0..<3 {
            let recording = Fixture.recording("r\(number)", .motion, bytes: 100_000)
            // So that its blocks are as many bytes as it has.
            try Data(count: 98_304).write(to: URL(fileURLWithPath: "\(recordings)/\(recording.path)"))
            try await database.append(
                [
                    .recordingSealed(recording: recording),
                    .fault(place: "x", message: String(repeating: "y", count: 99_999)),
                ],
                sending: [Fixture.file(of: recording)], at: Fixture.stamp(Int64(number)))
        }
        let log = try StateFixture.allocated(below: state, without: recordings)
        #expect(log > 3 * 99_999 + 2 * 50_000)
        let all = try log + max(300_000, StateFixture.allocated(below: recordings))
        let removed = try await database.applyRetention(
            RetentionPolicy(diskCap: all + room, keepDelivered: .zero), at: Fixture.stamp(9))
        #expect(removed.count == Int((-room + 99_999) / 100_000))
        #expect(removed.map(\.recording) == ["r0", "r1", "r2"].prefix(removed.count).map(\.self))
        #expect(try await database.verifyLog() == nil)
        func isTold() async -> Bool {
            await database.condition(flushingAfter: .seconds(60), at: .zero).capFault?.contains("raise [disk] cap_gib")
                ?? false
        }
        #expect(await !isTold())
        let now = try StateFixture.allocated(below: state, without: recordings)
        for (cap, isTooSmall) in [(now, true), (now + 1_000_000, false)] {
            try await database.applyRetention(
                RetentionPolicy(diskCap: cap, keepDelivered: .zero), at: Fixture.stamp(10))
            #expect(await isTold() == isTooSmall)
        }
        #expect(FileManager.default.fileExists(atPath: state + "/damaged/1/studyd.sqlite"))
    }
}

enum StateFixture {
    /// By find(1).
    static func allocated(below folder: String, without exception: String = "-") throws -> Int64 {
        let blocks = try Damage.output(
            "/usr/bin/find", folder, "-mindepth", "1", "-path", exception, "-prune", "-o", "-mindepth", "1", "-printf",
            "%b\n")
        return blocks.split(separator: "\n").reduce(0) { $0 + (Int64($1) ?? 0) * 512 }
    }
}
