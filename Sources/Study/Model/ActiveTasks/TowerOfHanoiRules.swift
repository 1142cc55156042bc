// SPDX-License-Identifier: Apache-2.0

/// How many disks are moved: read by MyStudies' reader, for `TowerOfHanoiStep`.
package struct TowerOfHanoiRules: ActiveTaskRules {
    /// All on the first tower at the beginning; the shortest way takes 2ⁿ − 1 moves.
    package let disks: Int

    package init(disks: Int) { self.disks = disks }

    package var name: String { "towerOfHanoi" }
    package var title: Phrase { Self.title }
    /// The same where the rules are not known.
    package static let title = Phrase("Tower of Hanoi")

    /// More than ten disks take over a thousand moves, which no test asks for.
    package var problems: [String] {
        (1...10).contains(disks) ? [] : ["the number of disks \(disks) is outside 1 to 10"]
    }
}
