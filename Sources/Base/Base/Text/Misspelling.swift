// SPDX-License-Identifier: Apache-2.0

/// What was most likely meant: the number of letters that are too many, too few or wrong
/// (Levenshtein), two swapped neighbours counting as one (as Git counts for its own commands). For "did you
/// mean …?" at unknown commands, settings and names.
package enum Misspelling {
    /// With more wrong letters than this it is another word.
    private static let most = 2

    /// The name that `word` is almost; of several the nearest, of equally near ones the first. Nil
    /// where none is near.
    package static func nearest(_ word: String, in names: [String]) -> String? {
        let near = names.map { (name: $0, distance: distance(word, $0)) }.filter {
            $0.distance <= most && $0.distance < $0.name.count
        }
        if let best = near.min(by: { $0.distance < $1.distance }) { return best.name }
        // The beginning of one word only means that one.
        let longer = word.count < 3 ? [] : names.filter { $0.hasPrefix(word) }
        return longer.count == 1 ? longer[0] : nil
    }

    /// True for at most two letters too many, too few or wrong.
    package static func isNear(_ word: String, _ name: String) -> Bool { distance(word, name) <= most }

    /// The edit distance of two words: how many letters have to be changed to get from one to the other.
    package static func distance(_ word: String, _ other: String) -> Int { distance(Array(word), Array(other)) }

    @inlinable package static func distance<Letter: Equatable>(_ word: [Letter], _ other: [Letter]) -> Int {
        var rows = [Array(0...other.count)]
        for row in word.indices {
            var next = [row + 1]
            for column in other.indices {
                var least = min(
                    next[column] + 1, rows[row][column + 1] + 1,
                    rows[row][column] + (word[row] == other[column] ? 0 : 1))
                if row > 0, column > 0, word[row] == other[column - 1], word[row - 1] == other[column] {
                    least = min(least, rows[row - 1][column - 1] + 1)
                }
                next.append(least)
            }
            rows.append(next)
        }
        return rows[word.count][other.count]
    }
}
