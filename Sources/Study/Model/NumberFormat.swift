// SPDX-License-Identifier: Apache-2.0

/// A number entered digit by digit (`AnswerFormat.number`): platforms' readers make it, and `NumberQuestion`
/// asks it.
package struct NumberFormat: Sendable, Hashable {
    /// Inclusive; nil = no limit.
    package let minimum: Double?
    /// Inclusive; nil = no limit.
    package let maximum: Double?
    /// Digits after the point; 0 = whole numbers.
    package let maximumFractionDigits: Int
    /// Named on the sheet: `kg`; empty where there is none.
    package let unit: String
    /// The limit that is the year in which it is asked; `asked(in:)` puts it in the place of the fixed one.
    package let yearLimits: Set<YearLimit>

    package enum YearLimit: Sendable, Hashable { case minimum, maximum }

    package init(
        minimum: Double?, maximum: Double?, maximumFractionDigits: Int, unit: String = "",
        yearLimits: Set<YearLimit> = []
    ) {
        self.minimum = minimum
        self.maximum = maximum
        self.maximumFractionDigits = maximumFractionDigits
        self.unit = unit
        self.yearLimits = yearLimits
    }

    /// With the limits of that year. One beyond the fixed limit is moved there, so that there is an answer.
    package func asked(in year: Int) -> NumberFormat {
        let year = min(max(Double(year), minimum ?? -.infinity), maximum ?? .infinity)
        return NumberFormat(
            minimum: yearLimits.contains(.minimum) ? year : minimum,
            maximum: yearLimits.contains(.maximum) ? year : maximum,
            maximumFractionDigits: maximumFractionDigits, unit: unit)
    }
}
