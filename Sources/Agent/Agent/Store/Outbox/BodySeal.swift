// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Seals the bodies of requests while they wait in the store: to the lab's recipients and to the
/// device, which sends what is in them.
package struct BodySeal: Sendable {
    private let recipients: [AgeRecipient]
    private let own: AgeIdentity

    package init(_ settings: SealSettings, own: OwnSeal) {
        recipients = settings.recipients + [own.identity.recipient]
        self.own = own.identity
    }

    func sealed(_ body: [UInt8]) throws(StoreError) -> [UInt8] {
        do throws(AgeFault) { return try AgeWriter.seal(body, to: recipients) } catch { throw .notSealed }
    }

    static func isSealed(_ body: [UInt8]) -> Bool { AgeReader.begins(body) }

    /// Nil where it is sealed to another key, or damaged.
    func opened(_ body: [UInt8]) -> [UInt8]? { try? AgeReader.open(body, [own]) }
}
