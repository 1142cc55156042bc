// SPDX-License-Identifier: Apache-2.0

/// The signals that the card sheet (`CardSheet`) explains.
enum SignalTable {
    /// A signal, and its explanation in print.
    struct Entry: Sendable {
        let meaning: Phrase
        let cue: Cue

        init(_ meaning: Phrase, _ cue: Cue) { (self.meaning, self.cue) = (meaning, cue) }
    }

    static let entries = states + answering

    /// What the device can be doing or have done; docs/panel.md has these too.
    static let states: [Entry] = [
        Entry(Phrase("idle"), .alive),
        Entry(Phrase("idle, recording"), .recording),
        Entry(Phrase("idle, sensors paused"), .paused),
        Entry(Phrase("the sensors' pause begins"), .pauseBegins),
        Entry(Phrase("the sensors' pause is over"), .pauseEnds),
        Entry(Phrase("a prompt waits"), .prompt(title: "", message: "")),
        Entry(Phrase("card number (here 12)"), .card(12, text: "")),
        Entry(Phrase("accepted"), .accepted),
        Entry(Phrase("not possible here"), .refused),
        Entry(Phrase("event noted"), .marked),
        Entry(Phrase("delivered to the server"), .delivered),
        Entry(Phrase("nothing more waits for the stick: it may be pulled out"), .removable),
        Entry(Phrase("fault: call the study team"), .fault(FaultPhrases.general)),
        Entry(Phrase("a sensor gives nothing: call the study team"), .condition(.sensorFault)),
        Entry(Phrase("too little power: use another supply or cable"), .condition(.underVoltage)),
        Entry(Phrase("memory full: call the study team"), .condition(.lowDisk)),
        Entry(Phrase("time not known yet: prompts wait"), .condition(.clockUnknown)),
        Entry(Phrase("nothing sent for a day: go near a known network"), .condition(.offline)),
        Entry(Phrase("no study yet"), .condition(.notEnrolled)),
        Entry(Phrase("being set up: leave it switched on"), .condition(.takingOver)),
    ]

    /// What is met while answering, in lists and menus, and while leaving the study.
    private static let answering: [Entry] = [
        Entry(Phrase("option or position (here 3)"), .position("3")),
        Entry(Phrase("letter (here the third)"), .letter(3, text: .symbol("c"))),
        Entry(Phrase("option 3, ticked"), .option(3, text: "", isTicked: true)),
        Entry(Phrase("no answer: choose to skip the question"), .leaveOut),
        Entry(Phrase("done: choose to finish"), .done),
        Entry(Phrase("clear the entry"), .clear),
        Entry(Phrase("read back (here 42)"), .value("42")),
        Entry(Phrase("right? submit?"), .confirm),
        Entry(Phrase("accepted: yes"), .answer(isYes: true, "")),
        Entry(Phrase("accepted: no"), .answer(isYes: false, "")),
        Entry(Phrase("undone"), .undone),
        Entry(Phrase("an answer is needed"), .required),
        Entry(Phrase("still waiting for you"), .reminder),
        Entry(Phrase("time is running out"), .timeRunningOut),
        Entry(Phrase("time is up"), .expired),
        Entry(Phrase("recording starts"), .recordingStarted),
        Entry(Phrase("recording ends"), .recordingStopped),
        Entry(Phrase("a kick was counted"), .counted(1)),
        Entry(Phrase("towers (here disks 1, 3, none on top)"), .towers([[1], [3], []])),
        Entry(Phrase("the disks of one tower, from below (here 3, 1)"), .tower(0, [3, 1])),
        Entry(Phrase("watch: a sequence is coming"), .watch),
        Entry(Phrase("your turn"), .yourTurn),
        Entry(Phrase("a game was won"), .won),
        Entry(Phrase("a game was lost"), .lost),
        Entry(Phrase("reacted to the light"), .reacted(250)),
        Entry(Phrase("pressed before the light"), .tooEarly),
        Entry(Phrase("not pressed in time"), .tooLate),
        Entry(Phrase("stored safely"), .saved),
        Entry(Phrase("stored in 4 seconds unless undone"), .undoable(seconds: 4)),
        Entry(Phrase("leave without saving?"), .leaveRun),
        Entry(Phrase("left without saving"), .runLeft),
        Entry(Phrase("list entry (here 2)"), .listItem(2, text: "")),
        Entry(Phrase("menu entry (here 2)"), .menuItem(2, PanelPhrases.back)),
        Entry(Phrase("nothing to do now"), .nothingOpen),
        Entry(Phrase("postponed"), .putOff),
        Entry(Phrase("prompts off"), .promptsOff),
        Entry(Phrase("prompts on"), .promptsOn),
        Entry(Phrase("leave the study?"), .leaveStudy(stage: 1)),
        Entry(Phrase("… for good?"), .leaveStudy(stage: 2)),
        Entry(Phrase("delete your answers?"), .leaveStudy(stage: 3)),
        Entry(Phrase("a message has come"), .news("")),
        Entry(Phrase("holding: first step"), .held(level: 1, .select)),
    ]
}
