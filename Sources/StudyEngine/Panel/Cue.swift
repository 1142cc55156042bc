// SPDX-License-Identifier: Apache-2.0

/// Something that is told to the participant.
public enum Cue: Sendable, Hashable {
    /// The device runs and nothing is recorded; or samples arrive and are being stored.
    case alive, recording
    case prompt(title: String, message: String)
    /// The question with this number on the card sheet. `parts` are said instead of `text`, where an answer stands in it.
    case card(Int, text: String, parts: [String]? = nil)
    /// Option `number` of the card sheet; `isTicked` where several may be ticked.
    case option(Int, text: String, isTicked: Bool?)
    /// The empty place of a list: choosing it leaves the question out.
    case leaveOut
    /// The place that ends an entry.
    case done
    /// A place on a scale, or one symbol or field of an entry; zero to 999 counted, anything else digit by digit.
    case position(String)
    /// A letter, or the first of a group of letters, by its number on the card sheet.
    case letter(Int, text: String)
    /// A whole text read back, by the numbers of its letters and their names.
    case spelled([Int], names: [String])
    /// Takes an entry away.
    case clear
    /// A whole value read back.
    case value(String)
    case accepted, confirm, undone, required, refused, timeRunningOut, expired
    /// A question has waited for a while.
    case reminder
    case listItem(Int, text: String)
    case menuItem(Int, text: String)
    case nothingOpen
    case promptsOff, promptsOn, putOff
    /// Stage 1 and 2 of leaving the study.
    case leaveStudy(stage: Int)
    /// The answers lie safely on the device.
    case saved
    /// The server has taken them.
    case delivered
    case fault(String)
    /// A run was left or interrupted: its answers are not kept.
    case runLeft
    case recordingStarted, recordingStopped
    /// A target of a span test at that button.
    case target(button: Int, TargetSign)
    /// A sequence of targets comes; it is the participant's turn to give it back.
    case watch, yourTurn
    /// So many so far.
    case counted(Int)
    /// Which disks lie on which tower, the lowest first.
    case towers([[Int]])
    /// A light to be reacted to, for so long at most; its mark comes back with the time at which it went on, nil = an example.
    case stimulus(Int?, lasting: Duration)
    /// Nothing shown, nothing said.
    case dark
    /// A press came so many milliseconds after its light, or before it, or not in time.
    case reacted(Int)
    case tooEarly, tooLate
    /// A game of an active task ended well, or not.
    case won, lost
    /// A button has been held to a level, from 1; on release it would mean the gesture.
    case held(level: Int, Gesture)
    /// A message of those who run the study has come; what it says is said.
    case news(String)
    /// Something to be said, without a signal of its own.
    case message(String)

    /// What a loudspeaker says, in parts that are the same wherever they are said again (see `Vocabulary`); none where the
    /// signal alone is enough.
    public var speech: [String] { sentences.filter { $0.contains { $0.isLetter || $0.isNumber } } }

    private var sentences: [String] {
        switch self {
        case .prompt(let title, let message): [title, message]
        case .card(let number, let text, let parts): ["Question \(number)"] + (parts ?? [text])
        case .option(let number, let text, let isTicked):
            SpokenNumber.parts(String(number)) + [text] + (isTicked == true ? ["ticked"] : [])
        case .position(let text), .value(let text): SpokenNumber.parts(text)
        case .letter(_, let text): [text]
        case .spelled(_, let names): names
        case .listItem(_, let text), .menuItem(_, let text), .fault(let text), .message(let text),
            .news(let text):
            [text]
        case .reacted(let milliseconds): SpokenNumber.parts(String(milliseconds))
        case .towers(let towers):
            towers.enumerated().flatMap { index, disks in
                [TowerOfHanoiStep.words[index]]
                    + (disks.isEmpty ? [Self.empty] : disks.flatMap { SpokenNumber.parts(String($0)) })
            }
        default: [phrase]
        }
    }

    /// Said of a tower without disks.
    static let empty = "empty"

    /// The same in every study.
    private var phrase: String {
        switch self {
        case .leaveOut: "No answer"
        case .done: "Done"
        case .clear: "Clear"
        case .confirm: "Is that right?"
        case .undone: "Taken back"
        case .required: "This question needs an answer"
        case .timeRunningOut: "The time is running out"
        case .expired: "The time is over"
        case .reminder: "This question is waiting for you"
        case .nothingOpen: "There is nothing to do now"
        case .promptsOff: "Prompts are off"
        case .promptsOn: "Prompts are on"
        case .putOff: "Later"
        case .leaveStudy(1): "Leave the study?"
        case .leaveStudy(2): "Leave the study for good?"
        case .leaveStudy: "Shall the study delete the answers it has from you?"
        case .saved: "Thank you. Saved"
        case .runLeft: "Left without saving"
        case .yourTurn: "Your turn"
        case .won: "Right"
        case .lost: "Not right"
        case .tooEarly: "Too early"
        case .tooLate: "Too late"
        default: ""
        }
    }
}
