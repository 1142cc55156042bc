// SPDX-License-Identifier: Apache-2.0

/// What a press of a button would do now, for `PanelSession.meaning` and `TaskRun.meaning`: its label where a panel
/// is drawn on a screen. Translated: after a change run `make translations` (docs/adding/language.md).
enum MeaningPhrases {
    static let list = Phrase("what you can do now")
    static let notNow = Phrase("not now")
    static let menu = Phrase("menu")
    /// On an idle panel: the task that this button is for.
    static let task = Phrase("open its task")
    static let next = Phrase("next")
    static let previous = Phrase("previous")
    static let choose = Phrase("choose")
    static let tick = Phrase("tick or untick")
    static let skip = Phrase("skip")
    static let more = Phrase("more")
    static let less = Phrase("less")
    static let goOn = Phrase("continue")
    static let again = Phrase("repeat")
    static let measure = Phrase("measure")
    static let start = Phrase("start")
    static let takeBack = Phrase("undo")
    static let submit = Phrase("submit")
    /// At the review, after the last question.
    static let backToLastQuestion = Phrase("back to the last question")
    static let leave = Phrase("leave without saving")
    static let stay = Phrase("stay")
}
