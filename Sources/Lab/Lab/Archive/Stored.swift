// SPDX-License-Identifier: Apache-2.0
import Base

/// A post as it lies in the archive.
struct StoredRecord: Sendable {
    let id: Int64
    /// The receiver's time of arrival.
    let received: Instant
    let path: String
    let post: SchemaPost
    /// The first record with exactly the same fields, nil for that one itself.
    let duplicateOf: Int64?
    let warnings: [String]

    /// From prompt to answer; nil where either time is missing or the answer was given
    /// before the prompt.
    var latency: Duration? {
        guard let alert = post.alertTime, let answer = post.writtenTime, answer.instant >= alert.instant else {
            return nil
        }
        return answer.instant - alert.instant
    }

    static func fields(_ stored: String) -> [FormField] {
        ((try? JSONReader.value(stored))?.array ?? []).compactMap { pair in
            guard let parts = pair.array, parts.count == 2, let name = parts[0].string, let value = parts[1].string
            else { return nil }
            return FormField(name: name, value: value)
        }
    }

    static func texts(_ stored: String) -> [String] {
        ((try? JSONReader.value(stored))?.array ?? []).compactMap(\.string)
    }
}

/// A post that was not taken.
struct Refusal: Sendable {
    let id: Int64
    let received: Instant
    let path: String
    let user: String?
    let reasons: String
}

/// What is known of a device at a glance. It is known by the participant's id in what it sends.
struct DeviceSummary: Sendable {
    let user: String
    let lastContact: Instant
    /// Records of either kind; `duplicates` and `warned` count those of them that are marked so.
    let answers: Int
    let logs: Int
    let duplicates: Int
    let warned: Int
    /// Complete uploads, and unfinished ones.
    let files: Int
    let partial: Int
    /// Bytes of records and files, as far as they have come.
    let bytes: Int64
}

/// How often something was logged.
struct LogCount: Hashable, Sendable {
    let page: String
    let event: String
    let count: Int
}

/// A file that is coming or has come.
struct Upload: Sendable {
    /// Its place in the order of arrival; 0 until the archive has given it one.
    var number: Int64 = 0
    /// The last part of its address; not to be guessed.
    let id: String
    let user: String
    /// What it is, in the sender's words.
    let kind: String
    /// Its name in the sender's words; never a path.
    let name: String
    /// All metadata as a JSON object.
    let metadata: String
    let length: Int64
    /// Bytes that have arrived and are on the disk.
    var offset: Int64
    let created: Instant
    var changed: Instant
    /// The SHA-256 the sender announced, 64 hexadecimal digits.
    let expected: String?
    /// The SHA-256 of what lies here; nil until it is complete and as announced.
    var sha256: String?
    /// Its name in the folder of complete files.
    var file: String?
    /// The earlier upload of the same content and name.
    var sameAs: Int64?
    /// How often all had arrived but was not what was announced.
    var mismatches: Int64
    /// Bytes that it takes here.
    var space: Int64 = 0
}
