// SPDX-License-Identifier: Apache-2.0

/// Names as parts of BIDS' file names, which take letters and digits alone. `BIDSExport` makes one of the codes
/// of all participants; `plain` takes a single name, and may give two names the same letters and digits.
struct BIDSLabels {
    private let labels: [String: String]
    /// Names whose letters and digits an earlier name has too, in order; they got a number.
    let collisions: [String]

    /// The first of several names with the same letters and digits keeps them, the next ones get
    /// `x2`, `x3`, … behind. Case is ignored, as some file systems do.
    init(_ names: [String]) {
        var (labels, taken, collisions): ([String: String], Set<String>, [String]) = ([:], [], [])
        for name in names where labels[name] == nil {
            let plain = Self.plain(name)
            var (label, number) = (plain, 1)
            while !taken.insert(label.lowercased()).inserted {
                number += 1
                label = "\(plain)x\(number)"
            }
            if number > 1 { collisions.append(name) }
            labels[name] = label
        }
        (self.labels, self.collisions) = (labels, collisions)
    }

    subscript(name: String) -> String { labels[name] ?? Self.plain(name) }

    /// The letters and digits of ASCII alone, at most 60, since a name of BIDS holds several labels; never empty.
    static func plain(_ name: String) -> String {
        let kept = name.unicodeScalars.filter { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }
        return kept.isEmpty ? "unnamed" : String(String.UnicodeScalarView(kept.prefix(60)))
    }
}
