// SPDX-License-Identifier: Apache-2.0

/// The signals that the card sheet explains: what the device is doing, then what is met while
/// answering.
enum SignalTable {
    static let entries = PanelState.allCases.map { (meaning: $0.meaning, cue: $0.cue) } + answering

    private static let answering: [(meaning: Phrase, cue: Cue)] = [
        (Phrase("option or position (here 3)"), .position("3")),
        (Phrase("letter (here the third)"), .letter(3, text: .symbol("c"))),
        (Phrase("option 3, ticked"), .option(3, text: "", isTicked: true)),
        (Phrase("no answer: choose to skip the question"), .leaveOut),
        (Phrase("done: choose to finish"), .done),
        (Phrase("clear the entry"), .clear),
        (Phrase("read back (here 42)"), .value("42")),
        (Phrase("right? submit?"), .confirm),
        (Phrase("accepted: yes"), .answer(isYes: true, "")),
        (Phrase("accepted: no"), .answer(isYes: false, "")),
        (Phrase("undone"), .undone),
        (Phrase("an answer is needed"), .required),
        (Phrase("still waiting for you"), .reminder),
        (Phrase("time is running out"), .timeRunningOut),
        (Phrase("time is up"), .expired),
        (Phrase("recording starts"), .recordingStarted),
        (Phrase("recording ends"), .recordingStopped),
        (Phrase("a kick was counted"), .counted(1)),
        (Phrase("towers (here disks 1, 3, none on top)"), .towers([[1], [3], []])),
        (Phrase("the disks of one tower, from below (here 3, 1)"), .tower(0, [3, 1])),
        (Phrase("watch: a sequence is coming"), .watch),
        (Phrase("your turn"), .yourTurn),
        (Phrase("a game was won"), .won),
        (Phrase("a game was lost"), .lost),
        (Phrase("reacted to the light"), .reacted(250)),
        (Phrase("pressed before the light"), .tooEarly),
        (Phrase("not pressed in time"), .tooLate),
        (Phrase("stored safely"), .saved),
        (Phrase("stored in 4 seconds unless undone"), .undoable(seconds: 4)),
        (Phrase("leave without saving?"), .leaveRun),
        (Phrase("left without saving"), .runLeft),
        (Phrase("list entry (here 2)"), .listItem(2, text: "")),
        (Phrase("menu entry (here 2)"), .menuItem(2, PanelPhrases.back)),
        (Phrase("nothing to do now"), .nothingOpen),
        (Phrase("postponed"), .putOff),
        (Phrase("prompts off"), .promptsOff),
        (Phrase("prompts on"), .promptsOn),
        (Phrase("leave the study?"), .leaveStudy(stage: 1)),
        (Phrase("… for good?"), .leaveStudy(stage: 2)),
        (Phrase("delete your answers?"), .leaveStudy(stage: 3)),
        (Phrase("a message has come"), .news("")),
        (Phrase("holding: first step"), .held(level: 1, .select)),
    ]
}
