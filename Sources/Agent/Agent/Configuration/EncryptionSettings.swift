// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// `[seal]` of `studyd.toml`: to whom everything that the device keeps of its participant is encrypted.
/// The user's word for that is "sealed", which in code is a recording that is finished.
package struct EncryptionSettings: Sendable, Hashable {
    private static let most = 20
    package let recipients: [AgeRecipient]
    /// The key `wait`: how long samples may wait in memory before they are encrypted and written; the most
    /// that a power cut takes.
    package let patience: Duration
    /// Where the device's own key is: a file that only its owner can read, or a systemd credential;
    /// nil = it makes one in the state folder.
    package let key: String?

    package init(recipients: [AgeRecipient], patience: Duration = .seconds(300), key: String? = nil) {
        (self.recipients, self.patience, self.key) = (recipients, patience, key)
    }

    init(_ table: ConfigTable) throws {
        let recipients = try table.required("recipients", Self.recipients(table, "recipients"))
        let patience = try table.duration("wait", .seconds(30) ... .seconds(86_400), "from 30s to 24h")
        self.init(recipients: recipients, patience: patience ?? .seconds(300), key: try table.string("key"))
    }

    /// The recipients that the table has under `key`, each once; nil where it has none. Also for `seal`
    /// of a set-up file.
    static func recipients(_ table: ConfigTable, _ key: String) throws -> [AgeRecipient]? {
        guard let texts = try table.strings(key) else { return nil }
        guard (1...Self.most).contains(texts.count) else {
            throw table.error(
                key, texts.isEmpty ? "names no recipient" : "names more than \(Self.most)",
                remedy: "write one age1… for each who is to open the data, or remove it")
        }
        var recipients: [AgeRecipient] = []
        for text in texts {
            do throws(AgeKeyError) {
                let recipient = try AgeRecipient(text)
                if !recipients.contains(recipient) { recipients.append(recipient) }
            } catch { throw table.error(key, error) }
        }
        return recipients
    }
}
