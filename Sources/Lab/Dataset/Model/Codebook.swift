// SPDX-License-Identifier: Apache-2.0
import Base

/// What a study asks, in its own words.
package struct Codebook: Sendable, Hashable {
    package struct Item: Sendable, Hashable {
        /// A value that an answer can have, and what it means.
        package struct Level: Sendable, Hashable {
            package let value: String
            package let words: String

            package init(_ value: String, _ words: String) { (self.value, self.words) = (value, words) }
        }

        package let task: String
        package let taskName: String
        package let item: String
        /// In the platform's word: `slider`, `multi`, `likert`, `textChoice`.
        package let type: String
        /// As the participant is asked.
        package let words: String
        /// In the study's order; empty where the answer is no choice.
        package var levels: [Level] = []
        package var least: Double?
        package var most: Double?
        package var isRequired = false
    }

    package var title: String?
    /// What the study says of itself, and of its approval.
    package var instructions: String?
    package var ethics: String?
    /// In the study's order.
    package var items: [Item] = []
    /// Names of tasks by their place in the study, as some platforms send them.
    package var tasksByPlace: [Int: String] = [:]

    /// The item of that name in `task`; where the task has none, the study's only item of that name.
    package func item(_ name: String, of task: String) -> Item? {
        let named = items.filter { $0.item == name }
        return named.first { $0.task == task } ?? (named.count == 1 ? named.first : nil)
    }
}
