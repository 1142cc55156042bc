// SPDX-License-Identifier: Apache-2.0
import Database
import Study
import SystemKit

/// An answer's value in a projection: in the clear, or encrypted by the device for itself. `RunProjection` and
/// `StateProjection` write it, `EnrolmentHistory` reads it.
enum StoredAnswer {
    static func text(_ value: AnswerValue, in connection: Connection) throws -> String {
        let text = try StoredJSON.text(value)
        do { return try connection.encryption?.encryptedValue(text) ?? text } catch {
            throw StoreError.encryptionFailed
        }
    }

    /// Nil where it is encrypted by a key that is not here.
    static func value(_ text: String, in connection: Connection) throws -> AnswerValue? {
        guard DeviceCipher.isEncrypted(text) else { return try StoredJSON.value(AnswerValue.self, from: text) }
        return try connection.encryption?.openedValue(text).map { try StoredJSON.value(AnswerValue.self, from: $0) }
    }
}
