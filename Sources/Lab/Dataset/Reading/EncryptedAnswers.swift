// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// Answers of one enrolment that a device has encrypted: for itself in the tables that follow from its log, and
/// for the lab as well in the log's rows. `DeviceFolder` looks answers up here.
struct EncryptedAnswers {
    private let encryption: BodyEncryption
    private var values: [Place: String] = [:]

    private struct Place: Hashable {
        let task: String
        /// Counts the runs of the task.
        let opening: Int64
        let item: String
    }

    /// Reads the rows of the log that `keys` open.
    init(_ connection: Connection, of enrolment: String, _ keys: [AgeIdentity]) throws {
        encryption = BodyEncryption(to: [], own: keys)
        guard !keys.isEmpty else { return }
        var found: [Place: String] = [:]
        try connection.forEach(
            """
            SELECT body FROM event WHERE enrolment = ? AND kind IN ('answered', 'submitted') ORDER BY sequence
            """, values: [enrolment]
        ) { row in
            guard let encrypted = JSONText(parsing: try row.string(0))?["age"]?.string.flatMap(Base64.decoded),
                let opened = encryption.opened(encrypted),
                let body = JSONText(parsing: String(decoding: opened, as: UTF8.self)),
                let task = body["task"]?.string, let opening = body["opening"].flatMap({ Int64($0.plain) })
            else { return }
            // An `answered` row has one answer, a `submitted` row all of its run; the latest row wins.
            let answer = body["answer"]
            let single = answer.flatMap { answer in
                answer["question"]?.string.flatMap { item in answer["value"].map { (item, $0) } }
            }
            let all = (body["submission"]?["answers"]?.members ?? []).map { ($0.key, $0.value) }
            for (item, value) in [single].compactMap(\.self) + all {
                found[Place(task: task, opening: opening, item: item)] = value.text
            }
        }
        values = found
    }

    /// The value that is `stored` in the device's table, in the clear; nil where no key opens it.
    func value(_ stored: String, of item: String, in task: String, _ opening: Int64) -> String? {
        guard DeviceCipher.isEncrypted(stored) else { return stored }
        return encryption.openedValue(stored) ?? values[Place(task: task, opening: opening, item: item)]
    }
}
