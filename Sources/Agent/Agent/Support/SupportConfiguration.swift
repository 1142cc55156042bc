// SPDX-License-Identifier: Apache-2.0
import Base

/// The text of `studyd.toml` as `SupportBundle` passes it on: every key, and the values of those that can hold no
/// secret and no name. Comments are left out. Pure.
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
        lines = table.leaves().map { "\($0.path) = \(Self.shown($0.content, $0.key))" }
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    private static func shown(_ content: TOMLValue.Content, _ key: String) -> String {
        switch content {
        case .string(let text): shown(text, key)
        case .integer(let number): "\(number)"
        case .float(let number): "\(number)"
        case .boolean(let isTrue): "\(isTrue)"
        case .time, .table, .array: SupportRedaction.mark
        }
    }

    private static func shown(_ text: String, _ key: String) -> String {
        if plain.contains(key) { return text }
        let isAddress = addresses.contains(key) && text.contains("://")
        return isAddress ? SupportRedaction(names: []).clean(text) : SupportRedaction.mark
    }
}

extension TOMLTable {
    /// All values but tables and lists, in the order of the file, each with its path and the last key in it.
    func leaves(_ path: String = "") -> [(path: String, key: String, content: TOMLValue.Content)] {
        keys.flatMap { key in self[key]?.leaves(ConfigSource.join(path, key), key) ?? [] }
    }
}

extension TOMLValue {
    fileprivate func leaves(_ path: String, _ key: String) -> [(path: String, key: String, content: Content)] {
        switch content {
        case .table(let table): table.leaves(path)
        case .array(let values): values.enumerated().flatMap { $1.leaves("\(path)[\($0)]", key) }
        default: [(path, key, content)]
        }
    }
}
