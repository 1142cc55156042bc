// SPDX-License-Identifier: Apache-2.0

/// A number on a scale with named ends (`AnswerFormat.slider`): platforms' readers make it, and `SliderKind`
/// asks it.
package struct SliderFormat: Sendable, Hashable {
    /// Inclusive; the first position.
    package let minimum: Double
    /// Inclusive; reached only where it lies a whole number of steps above `minimum`.
    package let maximum: Double
    /// The distance of neighbouring positions, above 0.
    package let step: Double
    /// What the lowest end means, spoken and printed; empty where the study names none.
    package let minimumLabel: String
    /// What the highest end means, spoken and printed; empty where the study names none.
    package let maximumLabel: String
    /// Where moving begins, at the nearest position; it is not an answer by itself. Nil
    /// = in the middle.
    package let initial: Double?

    package init(
        minimum: Double, maximum: Double, step: Double, minimumLabel: String, maximumLabel: String,
        initial: Double? = nil
    ) {
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.minimumLabel = minimumLabel
        self.maximumLabel = maximumLabel
        self.initial = initial
    }
}
