// SPDX-License-Identifier: Apache-2.0

/// How a step is answered, whatever the platform and whatever the panel.
public enum AnswerFormat: Sendable, Hashable {
    /// Nothing to answer; it is told and acknowledged.
    case instruction
    case yesNo(yes: String, no: String)
    case choice(ChoiceFormat)
    case slider(SliderFormat)
    case number(NumberFormat)
    case dateTime(DateTimeFormat, limits: DateLimits = DateLimits())
    /// Free text: on a board a voice memo, or letters chosen by buttons.
    case text(multiline: Bool, rules: TextRules = TextRules())
    /// Told, played where it is sound, and acknowledged; nothing to answer.
    case media(MediaReference)
    /// Performed on the buttons; the answer is a `Performance`.
    case active(ActiveTask)
    /// Where the participant is, by the board's own receiver.
    case position

    /// True where the step takes an answer.
    public var isQuestion: Bool {
        switch self {
        case .instruction, .media: false
        default: true
        }
    }
}

/// One or several of a list.
public struct ChoiceFormat: Sendable, Hashable {
    /// One entry of the list.
    public struct Option: Sendable, Hashable {
        /// What is stored and sent.
        public let value: String
        /// What is spoken and printed.
        public let text: String
        /// Ticking it unticks every other, and the other way round.
        public let isExclusive: Bool
        /// Printed beside the text, as an address that holds the picture itself (`data:image/…`); nil = none.
        public let picture: String?
        /// An entry that means `value`.
        public init(value: String, text: String, isExclusive: Bool = false, picture: String? = nil) {
            self.value = value
            self.text = text
            self.isExclusive = isExclusive
            self.picture = picture
        }
    }
    /// In the order of the file; the card sheet numbers them in this order even when they are told shuffled.
    public let options: [Option]
    /// Several may be ticked.
    public let isMultiple: Bool
    /// Told in another order at each opening.
    public let isShuffled: Bool
    /// The platform's app asks in a window of its own; schema spells several ticks as an array then.
    public let isModal: Bool
    /// The value of the option that is told first where one is to be taken; nil, or no option's = the first of the list.
    public let initial: String?

    public init(
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
public struct SliderFormat: Sendable, Hashable {
    /// Inclusive; the first position.
    public let minimum: Double
    /// Inclusive; reached only where it lies a whole number of steps above `minimum`.
    public let maximum: Double
    /// The distance of neighbouring positions, above 0.
    public let step: Double
    /// What the lowest end means, spoken and printed; empty where the study names none.
    public let minimumLabel: String
    /// What the highest end means, spoken and printed; empty where the study names none.
    public let maximumLabel: String
    /// Where moving begins, at the nearest position; it is not an answer by itself. Nil = in the middle.
    public let initial: Double?

    /// A scale from `minimum` to `maximum`.
    public init(
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
public struct NumberFormat: Sendable, Hashable {
    /// Inclusive; nil = no limit.
    public let minimum: Double?
    /// Inclusive; nil = no limit.
    public let maximum: Double?
    /// Digits after the point; 0 = whole numbers.
    public let maximumFractionDigits: Int
    /// Named on the sheet: `kg`; empty where there is none.
    public let unit: String

    public init(minimum: Double?, maximum: Double?, maximumFractionDigits: Int, unit: String = "") {
        self.minimum = minimum
        self.maximum = maximum
        self.maximumFractionDigits = maximumFractionDigits
        self.unit = unit
    }
}

/// Which parts of a civil time are asked.
public enum DateTimeFormat: String, Sendable, Hashable {
    case date, time, dateTime
}
