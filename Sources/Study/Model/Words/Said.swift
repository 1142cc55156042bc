// SPDX-License-Identifier: Apache-2.0

/// Something that is said (`Cue.said`); `Words` makes utterances of it. Nothing else becomes speech: what the
/// device says of itself is a `Phrase`, so that every word it speaks is in the catalogues of all languages.
package indirect enum Said: Sendable, Hashable {
    /// A text of the study, unchanged, or of the maker of the board.
    case study(String)
    /// A phrase of the device, with what fills its places.
    case device(Phrase, [Said] = [])
    /// Digits with a point or minus, or several numbers with blanks or colons between; said as a
    /// number where it is one.
    case number(String)
    /// A letter or digit by its own name.
    case symbol(Character)
}
