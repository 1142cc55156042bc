// SPDX-License-Identifier: Apache-2.0

/// What a gesture would do now, for the demo's drawing of a panel. A participant reads it on the card sheet.
package enum PanelMeaning: Sendable, Hashable {
    case phrase(Phrase)
    /// The study's own label of an answer.
    case label(String)
    case nothing

    /// In words; empty where nothing happens.
    package func text(in words: Words) -> String {
        switch self {
        case .phrase(let phrase): words(phrase)
        case .label(let label): label
        case .nothing: ""
        }
    }
}
