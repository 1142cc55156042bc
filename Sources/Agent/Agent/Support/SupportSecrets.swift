// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The secrets that a configuration names, read by `studyd support` so that `SupportRedaction` can cut them out
/// wherever they appear. One that cannot be read cannot appear in anything we print.
package enum SupportSecrets {
    /// Values of platforms and servers that are the secret, or name the file with it.
    private static let keys: Set<String> = ["token", "credential", "key_file", "external_id", "account", "password"]
    /// Those that can only name a file or a credential.
    private static let files: Set<String> = Set(
        DestinationCatalog.standard.kinds.flatMap { $0.keys }.filter { $0.kind == .secret }.map(\.name) + ["key"]
    ).subtracting(keys)

    /// Values of `keys` count as secrets and as names of files with secrets. Includes the device's own key.
    package static func all(in configuration: AgentConfiguration, _ text: String) -> [String] {
        let own = (try? BoundedFile.text(configuration.state + "/device.key")).map(firstLine)
        let table = try? TOMLTable(parsing: text.utf8)
        let named = table.map { values(of: keys, in: $0) } ?? []
        let files = named + (table.map { values(of: Self.files, in: $0) } ?? [])
        return [own].compactMap(\.self) + named + files.compactMap { try? SecretFile.read($0) }
    }

    private static func values(of keys: Set<String>, in table: TOMLTable) -> [String] {
        table.leaves().compactMap { leaf -> String? in
            if keys.contains(leaf.key), case .string(let text) = leaf.content { text } else { nil }
        }
    }

    private static func firstLine(_ text: String) -> String { String(text.prefix { !$0.isNewline }) }
}
