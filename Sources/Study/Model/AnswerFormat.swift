// SPDX-License-Identifier: Apache-2.0

/// How a step is answered, whatever the platform and whatever the panel.
package enum AnswerFormat: Sendable, Hashable {
    /// Nothing to answer; it is said and acknowledged.
    case instruction
    case yesNo(yes: String, no: String)
    case choice(ChoiceFormat)
    case slider(SliderFormat)
    case number(NumberFormat)
    case dateTime(DateTimeFormat, limits: DateLimits = DateLimits())
    /// Free text: on a board a voice memo, or letters chosen by buttons.
    case text(multiline: Bool, rules: TextRules = TextRules())
    /// Said, played where it is sound, and acknowledged; nothing to answer.
    case media(MediaReference)
    /// Performed on the buttons; the answer is a `Performance`.
    case active(ActiveTask)
    /// Where the participant is, by the board's own receiver.
    case position
    /// The answer is a sound recording, even where the board could take a text by letters.
    case recording
    /// How long to wait; the answer is 0 for begun and 1 for waited out.
    case countdown(Duration)
    /// What the device measures at a press; the answer is a text of numbers with blanks between them, in the
    /// order that the `DeviceReading` gives.
    case reading(DeviceReading)

    /// True where the step takes an answer.
    package var isQuestion: Bool {
        switch self {
        case .instruction, .media: false
        default: true
        }
    }
}

/// One or several of a list.
package struct ChoiceFormat: Sendable, Hashable {
    package struct Option: Sendable, Hashable {
        /// What is stored and sent.
        package let value: String
        /// What is spoken and printed.
        package let text: String
        /// Ticking it unticks every other, and the other way round.
        package let isExclusive: Bool
        /// Printed beside the text, as an address that holds the picture itself
        /// (`data:image/…`); nil = none.
        package let picture: String?
        package init(value: String, text: String, isExclusive: Bool = false, picture: String? = nil) {
            (self.value, self.text, self.isExclusive, self.picture) = (value, text, isExclusive, picture)
        }
    }
    /// In the order of the file; the card sheet numbers them in this order even when they are
    /// presented shuffled.
    package let options: [Option]
    package let isMultiple: Bool
    /// Presented in another order at each opening.
    package let isShuffled: Bool
    /// The platform's app asks in a separate window; schema writes several ticks as an array then.
    package let isModal: Bool
    /// The value of the option with which choosing begins; nil, or a value that no option has = the
    /// first one.
    package let initial: String?

    package init(
        options: [Option], isMultiple: Bool, isShuffled: Bool = false, isModal: Bool = false, initial: String? = nil
    ) {
        self.options = options
        self.isMultiple = isMultiple
        self.isShuffled = isShuffled
        self.isModal = isModal
        self.initial = initial
    }
}

/// A number on a scale with named ends.
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

/// A number entered digit by digit.
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

/// Which parts of a civil time are asked.
package enum DateTimeFormat: String, Sendable, Hashable {
    case date, time, dateTime
}
