// SPDX-License-Identifier: Apache-2.0

/// The texts a study brings, as plain text, for the card sheet and `studyd study`; empty where it has none.
package struct StudyTexts: Sendable, Hashable {
    /// The study's title; without one the card sheet shows the study id.
    package var name = ""
    /// What the participant reads about taking part.
    package var instructions = ""
    /// Address of the people who run the study, printed on the card sheet.
    package var contactEmail = ""
    /// Web address for help, printed on the card sheet.
    package var contactURL = ""
    /// The ethics approval, in the study's own words.
    package var ethics = ""
    /// Plain-language statement: a text or the address of one.
    package var statement = ""
    /// The text of the consent; empty on platforms with a file that has none, as schema's.
    package var consent = ""
    /// Said when nothing is open.
    package var nothingOpen = ""

    package init() {}
}
