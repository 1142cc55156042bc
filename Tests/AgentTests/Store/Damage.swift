// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Patience
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// What `damage.py` does to a store, and a store to which it is done.
struct Damage: Sendable, CustomTestStringConvertible {
    let name: String
    /// It has to be reported.
    let isTold: Bool
    var testDescription: String { name }

    /// Every kind; none where there is no Python.
    static let kinds: [Damage] = {
        guard let list = try? run("list") else {
            print("SKIPPED: damaging stores needs python3 with sqlite3")
            return []
        }
        return list.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return Damage(name: String(words[0]), isTold: words[2] == "fault")
        }
    }()

    /// Two stores as a power cut leaves them, with rows that are in the write-ahead log alone.
    static let originals = Task { [try await make("one"), try await make("two")] }

    /// A copy of the first store, damaged. Take it away with `remove`.
    func apply(seed: Int) async throws -> String {
        let originals = try await Self.originals.value
        let folder = NSTemporaryDirectory() + "damage-\(UUID())"
        try FileManager.default.copyItem(atPath: originals[0], toPath: folder)
        _ = try Self.run("do", name, folder, originals[1], "\(seed)")
        return folder
    }

    /// What an independent reader says of the store in `folder`.
    func verdict(_ folder: String) async throws -> String {
        try Self.run("check", name, folder, try await Self.originals.value[0])
    }

    static func remove(_ folder: String) {
        _ = try? output("/usr/bin/env", "chattr", "-R", "-i", folder)
        try? FileManager.default.removeItem(atPath: folder)
    }

    static let study = [UInt8](repeating: UInt8(ascii: "{"), count: 20_000)

    private static func make(_ name: String) async throws -> String {
        let folder = NSTemporaryDirectory() + "damage-original-\(UUID())"
        let live = folder + "-live"
        try FileManager.default.createDirectory(atPath: live, withIntermediateDirectories: true)
        let path = live + "/studyd.sqlite"
        try await fill(path, 0..<40)
        // Opened again: what follows stays in the write-ahead log.
        let database = try StudyDatabase(.file(path), recordings: live)
        try await fill(database, 40..<50)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for file in ["studyd.sqlite", "studyd.sqlite-wal", "studyd.head"] {
            try FileManager.default.copyItem(atPath: "\(live)/\(file)", toPath: "\(folder)/\(file)")
        }
        try FileManager.default.createDirectory(
            atPath: folder + "/recordings", withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: folder + "/recordings/000001-accelerometer.cwa"))
        try FileManager.default.removeItem(atPath: live)
        return folder
    }

    static func fill(_ path: String, _ numbers: Range<Int>) async throws {
        let database = try StudyDatabase(.file(path))
        let digest = try await database.keepStudyFile(study, source: "study.json", at: .epoch)
        let record = EnrolmentRecord(
            Fixture.enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json", fileDigest: digest)
        try await database.append([.enrolled(enrolment: record)], at: Fixture.stamp(0))
        try await fill(database, numbers)
    }

    static func fill(_ database: StudyDatabase, _ numbers: Range<Int>) async throws {
        for number in numbers {
            let second = Int64(number)
            let time = MonotonicTime(nanoseconds: second * 1_000_000)
            try await database.append(
                [
                    .prompted(occurrence: Fixture.record(number)), .pressed(button: 1, at: time), .listOpened,
                    .listLeft,
                    .runOpened(task: "mood", opening: number + 1, occurrence: "mood/\(number)"),
                    .answered(
                        task: "mood", opening: number + 1,
                        answer: AnswerRecord(
                            question: "happy", value: .number(Double(number)), presented: .zero, answered: time,
                            presses: 3)),
                    .concluded(occurrence: Fixture.record(number), outcome: .completed),
                ],
                sending: [
                    Fixture.draft(
                        "answer number \(number)", body: String(repeating: "answer number \(number) ", count: 20))
                ],
                at: Fixture.stamp(second))
        }
    }

    private static func run(_ words: String...) throws -> String {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/damage.py"
        return try output(["/usr/bin/env", "python3", script] + words)
    }

    static func output(_ command: String...) throws -> String { try output(command) }

    static func output(_ command: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitAsleep()
        guard process.terminationStatus == 0 else { throw StoreError.noSuchItem(command.joined(separator: " ")) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
