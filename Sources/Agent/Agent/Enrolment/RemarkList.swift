// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The remarks of a study's reader as `studyd validate` prints them: remarks that differ in numbers alone become
/// one line, with their other places at its end.
package struct RemarkList: Sendable {
    /// What was said, and where.
    private struct Entry {
        let first: Remark
        /// The other places, each with the numbers in which its message differs from the first one's.
        var others: [String] = []
    }

    /// Further places are only counted.
    private static let shown = 3
    private var entries: [Entry] = []

    /// In the order in which each is said first.
    package init(_ remarks: [Remark]) {
        var places: [String: Int] = [:]
        for remark in remarks {
            let key = remark.kind.rawValue + Self.withoutNumbers(remark.message)
            if let place = places[key] {
                entries[place].others.append(Self.other(remark, than: entries[place].first))
            } else {
                places[key] = entries.count
                entries.append(Entry(first: remark))
            }
        }
    }

    package var count: Int { entries.count }

    package var lines: [String] {
        entries.map { entry in
            // What most likely was not meant must not be overlooked among the assumptions.
            let kind = entry.first.kind == .warning ? "WARNING" : entry.first.kind.rawValue
            let more = entry.others.count - Self.shown
            let places = entry.others.prefix(Self.shown) + (more > 0 ? ["\(more) more"] : [])
            let likewise = places.isEmpty ? "" : " (likewise: \(places.joined(separator: ", ")))"
            return "\(kind): \(entry.first.place): \(entry.first.message)\(likewise)".shown
        }
    }

    private static func other(_ remark: Remark, than first: Remark) -> String {
        let differing = zip(numbers(remark.message), numbers(first.message)).filter { $0 != $1 }.map { String($0.0) }
        return differing.isEmpty ? remark.place : "\(remark.place): \(differing.joined(separator: ", "))"
    }

    /// Numbers, times and dates as they are written: `0.05`, `8:30`, `2026-11-21`.
    private static func numbers(_ text: String) -> [Substring] {
        text.split { !$0.isASCII || !($0.isNumber || ".:-".contains($0)) }.filter { $0.contains(where: \.isNumber) }
    }

    private static func withoutNumbers(_ text: String) -> String {
        String(text.map { $0.isASCII && $0.isNumber ? "0" : $0 }).split(separator: "0").joined(separator: "0")
    }
}
