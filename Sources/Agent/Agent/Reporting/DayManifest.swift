// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Everything that an enrolment produced on one day, and what ended on it without being delivered:
/// the body of `POST /manifests`, in parts of at most a mebibyte. Pure.
struct DayManifest: Sendable {
    /// A body of more bytes is not taken.
    static let limit = 1 << 20

    let record: EnrolmentRecord
    /// Of the participant's wall clock.
    let day: LocalDate
    let entries: [ProducedItem]

    /// The bodies, one after the other; one without entries for a day on which nothing came.
    func encoded(limit: Int = DayManifest.limit) -> [[UInt8]] {
        let texts = entries.map(\.json.text)
        // Room for the two numbers of a part.
        let room = limit - body(of: [], part: 99_999, parts: 99_999).utf8.count
        var parts: [[String]] = [[]]
        var bytes = 0
        for text in texts {
            let size = text.utf8.count + 1
            if bytes + size > room, parts[parts.count - 1].isEmpty == false {
                parts.append([])
                bytes = 0
            }
            parts[parts.count - 1].append(text)
            bytes += size
        }
        let count = parts.count
        return parts.enumerated().map { index, texts in
            Array(body(of: texts, part: count > 1 ? index + 1 : nil, parts: count).utf8)
        }
    }

    /// The same, each signed with the device's key.
    func signed(by key: Ed25519.PrivateKey?) throws -> [[UInt8]] {
        guard let key else { return encoded() }
        return try encoded(limit: Self.limit - SignedJSON.overhead).map {
            Array(try SignedJSON.signed(String(decoding: $0, as: UTF8.self), by: key).utf8)
        }
    }

    private func body(of texts: [String], part: Int?, parts: Int) -> String {
        let head = JSONText.object([
            "format": .string("studyd-manifest"), "version": .integer(1), "device": .string(record.participant.bounded),
            "study": .string(record.studyID.bounded), "participant": .string(record.participant.bounded),
            "enrolment": .string(record.id), "day": .string("\(day)"), "part": part.map { .integer(Int64($0)) },
            "parts": part == nil ? nil : .integer(Int64(parts)),
        ]).text.dropLast()
        return "\(head),\"entries\":[\(texts.joined(separator: ","))]}"
    }
}
