// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The secrets that a configuration names, read so that they can be cut out wherever they stand.
/// One that cannot be read can stand nowhere that we print.
package enum SupportSecrets {
    private static let keys: Set<String> = [
        "token", "credential", "key_file", "external_id", "account", "secret_key", "session_token", "password",
    ]

    /// With the device's own key.
    package static func all(in configuration: AgentConfiguration, _ text: String) -> [String] {
        let own = (try? BoundedFile.text(configuration.state + "/device.key")).map(firstLine)
        let named = (try? TOMLTable(parsing: text.utf8)).map { values(in: $0) } ?? []
        return [own].compactMap(\.self) + named + named.compactMap { try? SecretFile.read($0) }
    }

    private static func values(in table: TOMLTable) -> [String] {
        table.keys.flatMap { key -> [String] in
            guard let value = table[key] else { return [] }
            return values(in: value, key)
        }
    }

    private static func values(in value: TOMLValue, _ key: String) -> [String] {
        switch value.content {
        case .table(let table): values(in: table)
        case .array(let all): all.flatMap { values(in: $0, key) }
        case .string(let text): keys.contains(key) ? [text] : []
        default: []
        }
    }

    private static func firstLine(_ text: String) -> String { String(text.prefix { !$0.isNewline }) }
}
