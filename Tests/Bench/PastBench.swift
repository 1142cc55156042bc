// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Glibc
import Study
import SystemKit

/// A state folder with a long past, for the agent to be started on: a given number of recordings
/// that are still on the disk, each sent with its description, and ten rows of the log for each.
enum PastBench {
    static func write(recordings count: Int, in folder: String) async throws {
        mkdir(folder, 0o750)
        let files = try DiskFolder(creating: folder + "/recordings")
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"), recordings: files.path)
        // Within the week for which delivered recordings are kept.
        let start = SystemClock().now - .seconds(6 * 86_400)
        for first in stride(from: 1, through: count, by: 100) {
            for number in first..<min(first + 100, count + 1) {
                let time = start + .seconds(Double(number) * 6 * 86_000 / Double(count))
                try await append(number, at: time, to: database)
                try write(number, in: files)
            }
        }
        try files.replace("next-number", with: Array("\(count + 1)\n".utf8))
    }

    private static func append(_ number: Int, at time: Instant, to database: StudyDatabase) async throws {
        let monotonic = MonotonicTime(nanoseconds: Int64(number) * 25_000_000_000)
        let stamp = EventStamp(wall: time, monotonic: monotonic, bootID: "past", zoneOffset: 0, enrolment: "")
        let record = RecordingRecord(
            id: String(number), itemClass: .motion, measure: "accelerometer", path: name(number) + ".cwa",
            descriptionPath: name(number) + ".json", sha256: String(repeating: "0", count: 64), bytes: 1024,
            start: time, end: time + .seconds(20), stored: 2000, lost: ["powerCut": 3], boot: "past", from: monotonic,
            to: monotonic + .seconds(20), rate: 100)
        let anchor = ClockAnchor(
            monotonic: monotonic, instant: time, source: .kernel, uncertainty: .milliseconds(5))
        try await database.append(
            [
                .anchored(anchor: AnchorRecord(anchor)), .pressed(button: 1, at: monotonic),
                .released(button: 1, at: monotonic), .recordingSealed(recording: record),
            ], sending: [draft(record, record.path), draft(record, record.descriptionPath)], at: stamp)
        let items = try await database.waitingItems(stamp)
        try await database.append(
            items.map { .uploadStarted(item: $0) } + items.map { .uploadDelivered(item: $0, receipt: "204") }, at: stamp
        )
    }

    private static func draft(_ record: RecordingRecord, _ path: String) -> OutboxDraft {
        OutboxDraft(
            origin: "recording \(record.id)", itemClass: .motion, destination: "recordings",
            content: .file(
                FileReference(
                    path: path, sha256: record.sha256, bytes: 1024, contentType: "application/octet-stream",
                    recording: record.id)))
    }

    private static func write(_ number: Int, in folder: DiskFolder) throws {
        try File(folder.file(name(number) + ".cwa"), .replace).write([UInt8](repeating: 0, count: 1024), at: 0)
        let text =
            "{\"type\":\"file\",\"number\":\(number)," + String(repeating: " ", count: 1500)
            + "\"kind\":\"accelerometer\"}"
        try File(folder.file(name(number) + ".json"), .replace).write(Array(text.utf8), at: 0)
    }

    private static func name(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "-accelerometer"
    }
}

extension StudyDatabase {
    /// Ids of what waits to be sent.
    fileprivate func waitingItems(_ stamp: EventStamp) throws -> [String] {
        try items(in: .waiting, limit: 2).map(\.item.id)
    }
}
