// SPDX-License-Identifier: Apache-2.0

/// Something that is signalled or said to the participant. `Signals` makes light, sound and shaking of it (its
/// `rhythm`, `colour` and `melody`), and `said` is what a loudspeaker says.
package enum Cue: Sendable, Hashable {
    /// The device runs and nothing is recorded; or samples arrive and are being stored.
    case alive, recording
    /// The participant has paused the sensors, and nothing that is measured is kept: the pause goes on,
    /// begins, is over.
    case paused, pauseBegins, pauseEnds
    /// A press of an event marker was noted.
    case marked
    case condition(DeviceCondition)
    case prompt(title: String, message: String)
    /// The question with this number on the card sheet. `parts` are said instead of `text`, where
    /// it contains an answer.
    case card(Int, text: String, parts: [Said]? = nil)
    /// Option `number` of the card sheet; `isTicked` where several may be ticked.
    case option(Int, text: String, isTicked: Bool?)
    /// The empty place of a list: choosing it leaves the question out.
    case leaveOut
    /// The place that ends an entry.
    case done
    /// A place on a scale, or one symbol or field of an entry; zero to 999 counted, anything
    /// else digit by digit.
    case position(String)
    /// A letter, or the first of a group of letters, by its number on the card sheet.
    case letter(Int, text: Said)
    /// A whole text read back, by the numbers of its letters and their names.
    case spelled([Int], names: [Said])
    /// The place that clears an entry.
    case clear
    /// A whole value read back.
    case value(String)
    case accepted, confirm, undone, required, refused, timeRunningOut, expired
    /// The answer yes or no was accepted; the text is its label on the card.
    case answer(isYes: Bool, String)
    /// A question has waited for a while.
    case reminder
    case listItem(Int, text: String)
    case menuItem(Int, Phrase)
    case nothingOpen
    case promptsOff, promptsOn, putOff
    /// A question about leaving the study: 1, 2 = whether, and whether for good; 3 = whether the data is to
    /// be deleted.
    case leaveStudy(stage: Int)
    /// The answers lie safely on the device.
    case saved
    case delivered
    /// Nothing more waits for the stick, which may be pulled out.
    case removable
    case fault(Phrase)
    /// The question whether the run shall be left without keeping its answers.
    case leaveRun
    /// A run was left or interrupted: its answers are not kept.
    case runLeft
    /// It was the only answer: for this many seconds it can be taken back, then it is submitted
    /// without a further press.
    case undoable(seconds: Int)
    case recordingStarted, recordingStopped
    /// A target of a span test at that button.
    case target(button: Int, TargetSign)
    /// A sequence of targets comes; it is the participant's turn to give it back.
    case watch, yourTurn
    /// A kick was counted, and this is how many there are.
    case counted(Int)
    /// Which disks lie on which tower, the lowest first.
    case towers([[Int]])
    /// All disks of one tower, counted from 0, the lowest first.
    case tower(Int, [Int])
    /// A light to be reacted to, for `lasting` at most; its mark comes back with the time at which
    /// it went on, nil = an example.
    case stimulus(Int?, lasting: Duration, StimulusSign = .plain)
    /// Everything dark and silent, while a light to be reacted to is waited for.
    case dark
    /// A press came this many milliseconds after its light; it came before the light; none came in time.
    case reacted(Int)
    case tooEarly, tooLate
    /// A game of an active task ended well, or not.
    case won, lost
    /// A button has been held to a level, from 1; on release it would mean the gesture.
    case held(level: Int, Gesture)
    /// A message of those who run the study has come; what it says is said.
    case news(String)
    /// A text of the study, said without a signal.
    case message(String)
    /// A phrase of the device, said without a signal.
    case say(Phrase)
    /// What a button is called, said without a signal.
    case button(Panel.Button)

    /// What a loudspeaker says, in parts that are the same wherever they are said again (see
    /// `Vocabulary`); none where the signal alone is enough.
    package func speech(in words: Words) -> [Utterance] { said.flatMap(words.utterances) }

    /// The same for the eye, as one text: numbers whole, and a sentence's own end kept.
    package func text(in words: Words) -> String {
        if case .towers(let towers) = self { return Self.text(of: towers, words) }
        return said.map(words.text).filter { !$0.isEmpty }.joined(separator: ". ")
    }

    private static func text(of towers: [[Int]], _ words: Words) -> String {
        towers.enumerated().map { index, disks in
            let lying = disks.isEmpty ? words(GamePhrases.empty) : disks.map(String.init).joined(separator: " ")
            return "\(words(GamePhrases.towers[index])): \(lying)"
        }.joined(separator: " · ")
    }

    /// What `speech` says, in parts that are not in a language yet.
    var said: [Said] {
        switch self {
        case .prompt(let title, let message): [.study(title), .study(message)]
        case .card(let number, let text, let parts):
            [.device(PanelPhrases.question, [.number(String(number))])] + (parts ?? [.study(text)])
        case .option(let number, let text, let isTicked):
            [.number(String(number)), .study(text)] + (isTicked == true ? [.device(PanelPhrases.ticked)] : [])
        case .position(let text), .value(let text): [.number(text)]
        case .letter(_, let name): [name]
        case .spelled(_, let names): names
        case .listItem(_, let text), .message(let text), .news(let text), .answer(_, let text): [.study(text)]
        case .menuItem(_, let phrase), .fault(let phrase), .say(let phrase): [.device(phrase)]
        case .condition(let condition): [.device(condition.phrase)]
        case .button(let button): [GesturePhrases.name(button)]
        case .reacted(let milliseconds): [.number(String(milliseconds))]
        case .undoable(let seconds): [.device(PanelPhrases.undoable, [.number(String(seconds))])]
        case .towers(let towers):
            towers.enumerated().flatMap { Self.said($0, $1) }
        case .tower(let index, let disks): Self.said(index, disks)
        default: phrase.map { [.device($0)] } ?? []
        }
    }

    private static func said(_ tower: Int, _ disks: [Int]) -> [Said] {
        [.device(GamePhrases.towers[tower])]
            + (disks.isEmpty ? [.device(GamePhrases.empty)] : disks.map { .number(String($0)) })
    }

    /// The cue's phrase, for cues that say the same in every study.
    private var phrase: Phrase? {
        switch self {
        case .leaveOut: PanelPhrases.noAnswer
        case .done: PanelPhrases.done
        case .clear: PanelPhrases.clear
        case .confirm: PanelPhrases.isThatRight
        case .undone: PanelPhrases.takenBack
        case .required: PanelPhrases.required
        case .timeRunningOut: PanelPhrases.timeRunningOut
        case .expired: PanelPhrases.timeOver
        case .reminder: PanelPhrases.waiting
        case .nothingOpen: PanelPhrases.nothingToDo
        case .alive: PanelPhrases.running
        case .recording: PanelPhrases.recording
        case .paused, .pauseBegins: PanelPhrases.sensorsPaused
        case .pauseEnds: PanelPhrases.sensorsOn
        case .marked: PanelPhrases.marked
        case .promptsOff: PanelPhrases.promptsOff
        case .promptsOn: PanelPhrases.promptsOn
        case .putOff: PanelPhrases.later
        case .leaveStudy(let stage): PanelPhrases.leaveStudy[min(max(stage, 1), PanelPhrases.leaveStudy.count) - 1]
        case .saved: PanelPhrases.saved
        case .removable: PanelPhrases.removable
        case .leaveRun: PanelPhrases.leaveWithoutSaving
        case .runLeft: PanelPhrases.leftWithoutSaving
        case .yourTurn: GamePhrases.yourTurn
        case .won: GamePhrases.won
        case .lost: GamePhrases.lost
        case .tooEarly: GamePhrases.tooEarly
        case .tooLate: GamePhrases.tooLate
        default: nil
        }
    }
}
