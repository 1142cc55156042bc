// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import Times

@testable import Store

struct RetentionPolicyTests {
    private func view(_ id: String, _ itemClass: ItemClass, sealed: Int64, delivered: Bool) -> RecordingView {
        RecordingView(
            recording: Fixture.recording(id, itemClass), enrolment: "e1", sealed: Fixture.stamp(sealed).wall,
            removed: nil,
            isDelivered: delivered)
    }

    @Test(arguments: [
        (1000, 50, ["a retention"]), (1000, 500, []), (300, 500, ["a retention"]),
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
        #expect(try await database.ledger().items == [.dropped: 2, .waiting: 1])
        #expect(try await database.recordingViews().map(\.removed) == [.diskCap, .diskCap, nil])
    }
}
