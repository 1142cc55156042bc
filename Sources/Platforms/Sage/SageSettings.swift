// SPDX-License-Identifier: Apache-2.0
import Study

/// How this device takes part at a Bridge server: the `[sage]` table of studyd.toml. `BridgeDelivery` signs in
/// with it.
package struct SageSettings: Sendable, Hashable {
    /// The account's external id; nil = the participant's name in the study.
    let externalID: String?
    /// The file with the account's password: absolute, or the name of a systemd credential. Never
    /// printed or logged.
    let credential: String?

    init(externalID: String? = nil, credential: String? = nil) {
        (self.externalID, self.credential) = (externalID, credential)
    }

    init(_ table: any SettingsTable) throws {
        externalID = try table.string("external_id")
        credential = try table.string("credential")
    }
}
