// SPDX-License-Identifier: Apache-2.0
import Study

/// What the demo prints for the person who plays the participant, beyond what the device itself
/// would say or print. The lines of the log shown with it are for those who look after the device.
enum DemoPhrases {
    static let card = Phrase("card {0}: {1}")
    static let recording = Phrase("● recording the answer")
    static let recorded = Phrase("■ recording ended")
    static let leaves = Phrase("the participant leaves the study")
    static let toldAgain = Phrase("the prompt is given again")
    static let atRest = Phrase("at rest")
    static let choose = Phrase("choose")
    static let saving = Phrase("one moment")
    static let promptWaits = Phrase("a prompt waits")
    static let nextPrompt = Phrase("The next prompt comes at {0}.")
    static let noPrompt = Phrase("No more prompts will come.")
    static let studyPaused = Phrase("The study is paused.")
    static let held = Phrase("held: {0}")

    /// The keys of the terminal.
    static let press = Phrase("{0}: press")
    static let keys = Phrase("its key")
    static let hold = Phrase("Shift+key: short hold · Alt+key: long hold · Shift+Alt+key: longest hold")
    static let holdAsLong = Phrase("held: the button is held as long as the key")
    static let menuKey = Phrase("[{0}] menu")
    static let jumpKey = Phrase("[{0}] next prompt")
    static let endKey = Phrase("[{0}] end")

    /// Why the clock does not jump.
    static let jumpWaits = Phrase("a prompt waits: answer it, or put it off, before the clock jumps")
    static let jumpBusy = Phrase("something is open: finish or leave it before the clock jumps")
    static let jumpSoon = Phrase("the next prompt comes by itself in a moment")
    static let neverOpens = Phrase("the task does not open by itself")
    static let opensFirst = Phrase("the task opens once “{0}” is done")
    static let jumped = Phrase("… the clock jumps to shortly before the next prompt")
    static let jumpedToTask = Phrase("… the clock jumps to the next time of the task")

    /// Why there is no next prompt.
    static func noPrompt(_ scheduler: Scheduler) -> Phrase { scheduler.isPaused ? studyPaused : noPrompt }
}
