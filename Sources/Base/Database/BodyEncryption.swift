// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Encrypts the participant's content in a database to the lab's recipients and to the device itself, which
/// reads it again. `StudyDatabase` encrypts and opens with it. Without recipients new content stays in the
/// clear; encrypted content can still be opened.
package struct BodyEncryption: Sendable {
    private let recipients: [AgeRecipient]
    /// The keys that open content. New content is encrypted to the first of them, besides the lab's.
    private let own: [AgeIdentity]
    private let ciphers: [DeviceCipher]

    package init(to recipients: [AgeRecipient], own: [AgeIdentity]) {
        // The device's stanza first: it reads more often than the lab.
        self.recipients = recipients.isEmpty ? [] : own.prefix(1).map(\.recipient) + recipients
        self.own = own
        ciphers = own.compactMap { try? DeviceCipher($0, use: "projection") }
    }

    /// Whether new content is encrypted.
    package var isEncrypting: Bool { !recipients.isEmpty }

    package func encrypted(_ body: [UInt8]) throws(AgeFault) -> [UInt8] {
        isEncrypting ? try AgeWriter.encrypt(body, to: recipients) : body
    }

    package static func isEncrypted(_ body: [UInt8]) -> Bool { AgeReader.begins(body) }

    /// Nil where it is encrypted to another key, or damaged.
    package func opened(_ body: [UInt8]) -> [UInt8]? { try? AgeReader.open(body, own) }

    /// Whether the content seems to be encrypted to other keys. It must then be kept: that is no damage, and its
    /// key may be restored later.
    package func isForeign(_ body: [UInt8]) -> Bool {
        do throws(AgeFault) {
            _ = try AgeReader.open(body, own)
            return false
        } catch {
            return error == .noMatch || error == .library
        }
    }

    /// A value of a projection's table, encrypted for the device alone: the lab finds the same value in the log.
    package func encryptedValue(_ text: String) throws(AgeFault) -> String {
        guard isEncrypting else { return text }
        guard let cipher = ciphers.first else { throw .library }
        return try cipher.encrypt(text)
    }

    /// Nil where it is encrypted by another key.
    package func openedValue(_ text: String) -> String? { ciphers.lazy.compactMap { $0.open(text) }.first }
}
