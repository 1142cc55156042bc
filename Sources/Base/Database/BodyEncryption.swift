// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Encrypts what a store keeps of its participant: to the lab's recipients and to the device, which
/// reads it again. Without recipients it only opens.
package struct BodyEncryption: Sendable {
    private let recipients: [AgeRecipient]
    /// All of them open; new content is encrypted to the first one, too.
    private let own: [AgeIdentity]
    private let ciphers: [DeviceCipher]

    package init(to recipients: [AgeRecipient], own: [AgeIdentity]) {
        // The device's stanza first: it reads more often than the lab.
        self.recipients = recipients.isEmpty ? [] : own.prefix(1).map(\.recipient) + recipients
        self.own = own
        ciphers = own.compactMap { try? DeviceCipher($0, use: "projection") }
    }

    /// New content is encrypted.
    package var isEncrypting: Bool { !recipients.isEmpty }

    package func encrypted(_ body: [UInt8]) throws(AgeFault) -> [UInt8] {
        isEncrypting ? try AgeWriter.encrypt(body, to: recipients) : body
    }

    package static func isEncrypted(_ body: [UInt8]) -> Bool { AgeReader.begins(body) }

    /// Nil where it is encrypted to another key, or damaged.
    package func opened(_ body: [UInt8]) -> [UInt8]? { try? AgeReader.open(body, own) }

    /// Encrypted to none of the keys, as far as can be told: no sign of damage, its key may come back.
    package func isForeign(_ body: [UInt8]) -> Bool {
        do throws(AgeFault) {
            _ = try AgeReader.open(body, own)
            return false
        } catch {
            return error == .noMatch || error == .library
        }
    }

    /// A value of a projection, encrypted to the device alone: the lab has it in the log.
    package func encryptedValue(_ text: String) throws(AgeFault) -> String {
        guard isEncrypting else { return text }
        guard let cipher = ciphers.first else { throw .library }
        return try cipher.encrypt(text)
    }

    /// Nil where it is encrypted by another key.
    package func openedValue(_ text: String) -> String? { ciphers.lazy.compactMap { $0.open(text) }.first }
}
