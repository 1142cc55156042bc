// SPDX-License-Identifier: Apache-2.0

/// What a script may use, so that one that never ends, or fills the memory, ends with an error instead: checked
/// by `MerlinHeap`, `MerlinMachine` and `MerlinTokenReader`.
package struct MerlinLimits: Sendable {
    /// Operations; work on lists and texts counts by their lengths.
    package var steps: Int
    /// Bytes of texts, lists and objects made in the whole run, whether they are still used or not.
    package var memory: Int
    /// Calls of functions within each other.
    package var calls: Int

    package init(steps: Int, memory: Int, calls: Int) {
        (self.steps, self.memory, self.calls) = (steps, memory, calls)
    }

    /// Far above what any study needs, and some tenths of a second at most.
    package static let standard = MerlinLimits(steps: 2_000_000, memory: 16 << 20, calls: 500)

    /// How deep a script's parentheses and blocks may lie within each other.
    static let nesting = 100
    /// How deep lists and objects may be nested: `globals` are kept as JSON, read with at most 64 levels.
    static let values = 60
}
