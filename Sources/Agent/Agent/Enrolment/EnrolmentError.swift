// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Why an enrolment or a withdrawal failed, or a study that is enrolled cannot be read; `Enroller` throws most of
/// them.
package enum EnrolmentError: ExplainedError, Sendable, Hashable {
    /// In the study of that id.
    case alreadyEnrolled(String)
    /// A participant's name that could not be sent with the data.
    case badPseudonym(String)
    /// Questions that this board cannot ask, with the reasons.
    case refused([String])
    /// Buttons that the board file binds to tasks that cannot be started, with place and remedy.
    case boundButtons([String])
    /// The study can be run here, but not for the arm that was drawn.
    case armRefused(String, [String])
    case badAddress(String, remedy: String)
    /// Sounds that cannot be fetched or played.
    case silent([String])
    /// The agent would not begin with this configuration on this board.
    case cannotMeasure([String])
    /// A task that is to be left out and is none, and those that the study has.
    case noSuchTask(String, [String])
    case nothingLeft
    case notEnrolled
    /// Of an enrolment in force.
    case studyLost(LostStudy)
    /// A study's server has enrolled that participant, and the device could not store it.
    case joinedNotStored(String, Explanation)
    /// A study's server refused, after it had enrolled these participants without that being stored here.
    case refusedAfterJoin(String, Explanation)
    /// What is to be enrolled in is not what that enrolment was made with; `isKept` = its file is whole here.
    case notTheLostStudy(LostStudy, isKept: Bool)
    /// Options that would change an enrolment whose study is put back.
    case continuesAsItWas([String])
    /// There is one that this agent may not use, so that it is unknown who takes part.
    case storeNotUsable
    /// A hand-over was interrupted: the log is closed, and not yet moved to `closed/`.
    case handedOver
    /// The study of that id takes each participant once, and one on this device has left it.
    case takesNobodyAgain(String)
    /// The study leaves it to the participant whether it deletes what it has, and there is no
    /// decision yet; with the study's question.
    case dataUndecided(String)
    /// The study's file is lost or cannot be read, and with it the rule about the data; there is no decision.
    case dataRuleLost
    /// The participant decided otherwise about the data than the study's own rule does.
    case dataDecidedByStudy(isDeleted: Bool)
    /// The disk of the state folder, which is named where it is known, has no room to store that the participant left.
    case noRoomToLeave(String?)

    /// A study whose file, or that of its rules, is gone or damaged, of a participant who has not left.
    package struct LostStudy: Sendable, Hashable {
        let study: String
        let participant: String
        /// SHA-256 of the study's file, in hexadecimal.
        let digest: String

        fileprivate var remedy: String {
            "enrol with the study file of SHA-256 \(digest) and the same rules to continue; if the study has a newer "
                + "version, a study-receiver that served the earlier one has it as "
                + "studies/NAME.versions/*.\(digest.prefix(12)).json in its data folder; without it run "
                + "'studyd withdraw' and enrol in the newer one"
        }
    }

    /// Where the file is there: another copy of it would not be read either.
    private static let keptRemedy =
        "see 'studyd status' for the reason; to enrol in what was given, run 'studyd withdraw' first"

    /// With the command that helps, or every question that the board cannot ask.
    package var explanation: Explanation {
        switch self {
        case .alreadyEnrolled(let study):
            Explanation(
                cause: "the device is already enrolled in study \(study.shown)", remedy: "run 'studyd withdraw' first")
        case .badPseudonym(let name):
            Explanation(
                cause: "the participant cannot be called '\(String(name.prefix(200)).shown)'", remedy: Pseudonym.remedy)
        case .refused(let reasons):
            Explanation(
                cause: Self.list("this board cannot ask every question of the study", reasons),
                remedy:
                    "use a board that can, or leave a task out with --without TASK (its name stands before the slash)")
        case .boundButtons(let reasons):
            Explanation(
                cause: Self.list("a button of this board is bound to a task that it cannot start", reasons))
        case .armRefused(let arm, let reasons):
            Explanation(
                cause: Self.list(
                    "the study arm that was drawn, \"\(arm.shown)\", cannot be run on this board", reasons),
                remedy: "use a board that can run every arm; enrolling again until another arm is drawn "
                    + "would favour that arm")
        case .badAddress(let problem, let remedy):
            Explanation(
                cause: problem,
                remedy: "\(remedy), or enrol with --post-url ADDRESS: a study-receiver "
                    + "that can only be reached when the "
                    + "device comes back is fine: answers wait until then")
        case .silent(let sounds):
            Explanation(
                cause: Self.list("sounds of the study cannot be played; not enrolled", sounds),
                remedy: "fix them and enrol again, or use --without-sounds: then the participant is "
                    + "told when a sound cannot be played")
        case .cannotMeasure(let problems):
            Explanation(
                cause: Self.list(
                    "this board cannot measure what the configuration asks for, so studyd would not start", problems
                ))
        case .noSuchTask(let task, let tasks):
            Explanation(
                place: "--without \(task)", cause: "the study has no such task",
                remedy: "its tasks are \(tasks.map(\.shown).joined(separator: ", "))")
        case .nothingLeft: Explanation(place: "--without", cause: "no task of the study would be left")
        case .notEnrolled:
            Explanation(cause: "not enrolled in a study", remedy: "run 'studyd enroll SOURCE' first")
        case .studyLost(let lost):
            Explanation(
                cause: "the file of study \(lost.study), or of its rules, is lost or damaged: participant "
                    + "\(lost.participant) gets no prompts",
                remedy: "run 'studyd enroll' with the same files to continue, or 'studyd withdraw'")
        case .joinedNotStored(let participant, let fault):
            Explanation(
                place: fault.place,
                cause: "the study's server has enrolled participant \(participant.shown), but the device could not "
                    + "store it: \(fault.cause)",
                remedy: Explanation.remedies(fault.remedy, Self.leftOver(participant), "enrol again with a new token"))
        case .refusedAfterJoin(let participants, let refusal):
            Explanation(
                place: refusal.place, cause: refusal.cause,
                remedy: Explanation.remedies(refusal.remedy, Self.leftOver(participants)))
        case .notTheLostStudy(let lost, let isKept):
            Explanation(
                cause: "participant \(lost.participant) is enrolled in study \(lost.study), whose file is lost or "
                    + "cannot be read, with another file, participant or rules",
                remedy: isKept ? Self.keptRemedy : lost.remedy)
        case .continuesAsItWas(let options):
            Explanation(
                place: options.joined(separator: ", "),
                cause: "the study's file was lost or could not be read, and its enrolment continues as it was made",
                remedy: "leave that out, or run 'studyd withdraw' first")
        case .storeNotUsable:
            Explanation(
                cause: "studyd may not use the store, so it is not known who takes part",
                remedy: "see 'studyd status' for the reason, and enrol once it is removed")
        case .handedOver:
            Explanation(
                cause: "a hand-over of this device was interrupted",
                remedy: "stop the agent and run 'studyd hand-over' again")
        case .takesNobodyAgain(let study):
            Explanation(
                cause: "study \(study.shown) does not allow re-enrolment, and a participant on this device has left it")
        case .dataUndecided(let text):
            Explanation(
                cause: (text.isEmpty ? "" : text + "\n") + "the study asks whether to delete the answers it has",
                remedy: "use --delete-data or --keep-data")
        case .dataRuleLost:
            Explanation(
                cause: "the study's file is lost or cannot be read, and with it the rule about answers already sent",
                remedy: "use --delete-data or --keep-data")
        case .dataDecidedByStudy(let isDeleted):
            Explanation(
                cause: "the study's own rule decides about answers already sent: "
                    + "they are \(isDeleted ? "deleted" : "kept")")
        case .noRoomToLeave(let folder):
            Explanation(
                place: folder,
                cause: "the disk is full, so leaving the study cannot be stored, and the participant is still enrolled",
                remedy: "free space on the disk and run 'studyd withdraw' again")
        }
    }

    /// What to do about participants of whom only the study's server knows.
    static func leftOver(_ participants: String) -> String {
        "have the study's office remove participant \(participants.shown), left over from an enrolment that was cut off"
    }

    private static func list(_ what: String, _ lines: [String]) -> String {
        what + ":\n" + lines.map { $0.shown(indent: 2) }.joined(separator: "\n")
    }
}

extension EnrolmentRecord {
    var lostStudy: EnrolmentError.LostStudy {
        EnrolmentError.LostStudy(study: studyID, participant: participant, digest: fileDigest)
    }
}

extension WithdrawalRule {
    /// Whether the server is to delete what it has; `word` is the participant's decision, nil where there is
    /// none.
    func decision(_ word: Bool?) throws -> Bool {
        switch self {
        case .asks(let text):
            guard let word else { throw EnrolmentError.dataUndecided(text) }
            return word
        case .keepsData, .deletesData:
            let rule = self == .deletesData
            if let word, word != rule { throw EnrolmentError.dataDecidedByStudy(isDeleted: rule) }
            return rule
        }
    }
}
