// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Seals what a store keeps of its participant: to the lab's recipients and to the device, which
/// reads it again. Without recipients it only opens.
package struct BodySeal: Sendable {
    private let recipients: [AgeRecipient]
    /// All of them open; the first one seals.
    private let own: [AgeIdentity]
    private let ciphers: [DeviceCipher]

    package init(to recipients: [AgeRecipient], own: [AgeIdentity]) {
        // The device's stanza first: it reads more often than the lab.
        self.recipients = recipients.isEmpty ? [] : own.prefix(1).map(\.recipient) + recipients
        self.own = own
        ciphers = own.compactMap { try? DeviceCipher($0, use: "projection") }
    }

    /// New content is sealed.
    package var isSealing: Bool { !recipients.isEmpty }

    package func sealed(_ body: [UInt8]) throws(AgeFault) -> [UInt8] {
        isSealing ? try AgeWriter.seal(body, to: recipients) : body
    }

    package static func isSealed(_ body: [UInt8]) -> Bool { AgeReader.begins(body) }

    /// Nil where it is sealed to another key, or damaged.
    package func opened(_ body: [UInt8]) -> [UInt8]? { try? AgeReader.open(body, own) }

    /// Sealed to none of the keys, as far as can be told: no sign of damage, its key may come back.
    package func isForeign(_ body: [UInt8]) -> Bool {
        do throws(AgeFault) {
            _ = try AgeReader.open(body, own)
            return false
        } catch {
            return error == .noMatch || error == .library
        }
    }

    /// For the device alone: what follows from the log.
    package func sealedValue(_ text: String) throws(AgeFault) -> String {
        guard isSealing else { return text }
        guard let cipher = ciphers.first else { throw .library }
        return try cipher.seal(text)
    }

    /// Nil where it is sealed by another key.
    package func openedValue(_ text: String) -> String? { ciphers.lazy.compactMap { $0.open(text) }.first }
}
