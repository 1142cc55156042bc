// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Consent as an assistant recorded it before a device was given out; a box cannot show a
/// consent document.
///
/// Read from a JSON file such as
/// `{"version":"1.0","recordedBy":"A. Nurse","representative":"","eligible":true,"sharing":"true"}`.
package struct ConsentRecord: Sendable, Hashable {
    /// Of the consent document.
    package let version: String
    private let recordedBy: String
    /// Who consented for the participant; empty where they did themselves.
    private let representative: String
    /// Whether data may be shared: `true`, `false` or `NA`, as the platform spells it.
    package let sharing: String

    /// Reads the file's text; throws what is wrong with it.
    package init(parsing bytes: [UInt8], file: String) throws {
        let root: JSONNode
        do { root = try JSONNode(bytes) } catch { throw FileError(path: file, message: "\(error)") }
        func text(_ key: String) -> String? {
            if case .string(let text)? = root[key]?.content { text } else { nil }
        }
        guard let version = text("version"), !version.isEmpty, let recordedBy = text("recordedBy"), !recordedBy.isEmpty
        else {
            throw FileError(path: file, message: "needs non-empty texts \"version\" and \"recordedBy\"")
        }
        guard case .boolean(true)? = root["eligible"]?.content else {
            throw FileError(
                path: file, message: "does not say \"eligible\": true",
                remedy: "only eligible participants can be enrolled")
        }
        sharing = text("sharing") ?? "NA"
        guard ["true", "false", "NA"].contains(sharing) else {
            throw FileError(
                path: file, message: "\"sharing\" is \"\(sharing)\"", remedy: "write \"true\", \"false\" or \"NA\"")
        }
        self.version = version
        self.recordedBy = recordedBy
        representative = text("representative") ?? ""
    }

    /// For the event log: who, for whom, and the choice of sharing.
    var choice: String {
        JSONText.object([
            .init("recordedBy", .string(recordedBy)), .init("representative", .string(representative)),
            .init("eligible", .boolean(true)), .init("sharing", .string(sharing)),
        ]).text
    }
}
