// SPDX-License-Identifier: Apache-2.0
import Study

/// How the registration server of FDA MyStudies is reached, so that a phone shows the same progress:
/// `[mystudies.registration]` of studyd.toml, for `MyStudiesAccount`.
package struct MyStudiesRegistrationSettings: Sendable, Hashable {
    /// The part of its addresses before `/fdahpuserregws-login.api`; without a trailing slash.
    private let url: String
    /// The participant's account there.
    package let account: String
    /// The file with its password: absolute, or the name of a systemd credential.
    package let credential: String

    init(_ table: any SettingsTable) throws {
        url = try table.required("url", table.string("url"))
        guard url.hasPrefix("http://") || url.hasPrefix("https://"), !url.hasSuffix("/") else {
            throw table.complaint("url", "is not an address; use one with https:// and without a trailing slash")
        }
        account = try table.required("account", table.string("account"))
        credential = try table.required("credential", table.string("credential"))
    }

    func address(of action: String) -> String { "\(url)/fdahpuserregws-\(action).api" }
}
