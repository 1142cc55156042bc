// SPDX-License-Identifier: Apache-2.0
import Base

/// A configuration for support: every key, and the values of those that can hold no secret and no
/// name. Comments are left out. Pure.
struct SupportConfiguration {
    /// Their texts say how the device is set up, and can be no secret.
    private static let plain: Set<String> = [
        "board", "state", "zone", "language", "channel", "format", "rotate", "longest_gap", "when", "kind", "takes",
        "prompts_within", "keep_answers", "every", "policy", "compare", "unanswered", "controller",
    ]
    /// Addresses: the server is kept, and the path cut.
    private static let addresses: Set<String> = ["url", "recordings", "response", "metadata"]
    private let lines: [String]

    /// A text that is no TOML says only that.
    init(_ text: String) {
        guard let table = try? TOMLTable(parsing: text.utf8) else {
            lines = ["# this file cannot be read"]
            return
        }
        lines = Self.lines(of: table, "")
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    private static func lines(of table: TOMLTable, _ path: String) -> [String] {
        table.keys.flatMap { key -> [String] in
            guard let value = table[key] else { return [] }
            return lines(of: value, key, ConfigSource.join(path, key))
        }
    }

    private static func lines(of value: TOMLValue, _ key: String, _ path: String) -> [String] {
        switch value.content {
        case .table(let table): return lines(of: table, path)
        case .array(let values):
            return values.enumerated().flatMap { lines(of: $1, key, "\(path)[\($0)]") }
        case .string(let text): return ["\(path) = \(shown(text, key))"]
        case .integer(let number): return ["\(path) = \(number)"]
        case .float(let number): return ["\(path) = \(number)"]
        case .boolean(let isTrue): return ["\(path) = \(isTrue)"]
        case .time: return ["\(path) = \(SupportRedaction.mark)"]
        }
    }

    private static func shown(_ text: String, _ key: String) -> String {
        if plain.contains(key) { return text }
        let isAddress = addresses.contains(key) && text.contains("://")
        return isAddress ? SupportRedaction(names: []).clean(text) : SupportRedaction.mark
    }
}
