// SPDX-License-Identifier: Apache-2.0
import Base

/// A table of a file of rules, with its path.
struct RuleTable {
    let path: String
    private let table: TOMLTable
    private let headerLine: Int

    init(_ table: TOMLTable, path: String, line: Int) { (self.table, self.path, headerLine) = (table, path, line) }

    var keys: [String] { table.keys }

    func has(_ key: String) -> Bool { table[key] != nil }

    /// The line of a key, or of an element `key[2]`; of the table where it has neither.
    func line(of key: String) -> Int {
        let parts = key.split(separator: "[")
        guard let value = parts.first.flatMap({ table[String($0)] }) else { return headerLine }
        guard parts.count == 2, let place = Int(parts[1].dropLast()), case .array(let all) = value.content,
            all.indices.contains(place)
        else { return value.place.line }
        return all[place].place.line
    }

    func string(_ key: String) -> String? {
        if case .string(let text)? = table[key]?.content { text } else { nil }
    }

    func integer(_ key: String) -> Int? {
        if case .integer(let number)? = table[key]?.content { number } else { nil }
    }

    func number(_ key: String) -> Double? {
        switch table[key]?.content {
        case .integer(let number): Double(number)
        case .float(let number) where number.isFinite: number
        default: nil
        }
    }

    func strings(_ key: String) -> [String]? {
        guard case .array(let all)? = table[key]?.content else { return nil }
        let texts = all.compactMap { if case .string(let text) = $0.content { text } else { nil } }
        return texts.count == all.count ? texts : nil
    }

    func table(_ key: String) -> RuleTable? {
        guard let value = table[key], case .table(let inner) = value.content else { return nil }
        return RuleTable(inner, path: path.isEmpty ? key : "\(path).\(key)", line: value.place.line)
    }

    func tables(_ key: String) -> [RuleTable]? {
        guard case .array(let all)? = table[key]?.content else { return nil }
        let tables = all.enumerated().compactMap { place, value -> RuleTable? in
            guard case .table(let inner) = value.content else { return nil }
            return RuleTable(inner, path: "\(path).\(key)[\(place)]", line: value.place.line)
        }
        return tables.count == all.count ? tables : nil
    }
}
