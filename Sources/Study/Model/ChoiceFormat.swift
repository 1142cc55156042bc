// SPDX-License-Identifier: Apache-2.0

/// One or several of a list (`AnswerFormat.choice`): platforms' readers make it, and `ChoiceKind` asks it.
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
