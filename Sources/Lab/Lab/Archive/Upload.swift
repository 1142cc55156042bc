// SPDX-License-Identifier: Apache-2.0
import Base

/// A file that a client uploads, or `Mirror` fetches, whole or not yet: a row of the archive. `UploadFolder` has its
/// bytes.
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
    var space: Int64 = 0
}
