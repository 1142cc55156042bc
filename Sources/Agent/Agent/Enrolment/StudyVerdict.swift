// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a panel makes of a study, question by question. `studyd validate` prints it; `Enroller`, `StudyUpdateCheck`,
/// `studyd provision` and `studyd takeover` (the set-up of a device from a folder) refuse what is refused here.
package struct StudyVerdict: Sendable {
    package struct Entry: Sendable {
        /// Its card number, from 1 over the whole study.
        package let card: Int
        package let task: String
        /// The arm that its task belongs to; nil = all arms.
        package let condition: String?
        package let step: Step
        package let askability: PanelSupport

        /// One line for people.
        package var text: String {
            switch askability {
            case .asked(let how, let answered): "card \(card)  \(task)/\(step.key): \(how); \(answered)".shown
            case .refused(let reason): "card \(card)  \(task)/\(step.key): REFUSED (\(step.path)): \(reason)".shown
            }
        }

        package var json: JSONText {
            var members: [JSONText.Member] = [
                .init("card", .integer(Int64(card))), .init("task", .string(task)),
                .init("question", .string(step.key)),
                .init("path", .string(step.path)),
            ]
            switch askability {
            case .asked(let how, let answered):
                members += [.init("asked", .string(how)), .init("answered", .string(answered))]
            case .refused(let reason): members.append(.init("refused", .string(reason)))
            }
            return .object(members)
        }
    }

    /// One per card, in order of card number.
    package let entries: [Entry]
    package let remarks: [Remark]
    /// The study's arms, each once; empty where it has none.
    package let arms: [String]
    /// What is wrong with an arm's own tasks in the study itself.
    package let armRefusals: [String: [Remark]]
    /// Why buttons that are bound to a task cannot start it, with place and remedy. Another version
    /// of a study that runs is followed all the same: its button then has nothing to open.
    package let buttonRefusals: [String]

    package init(_ study: StudyProtocol, on panel: Panel) {
        entries = CardIndex(study.served(by: panel)).cards.map { card in
            Entry(
                card: card.number, task: card.task.key, condition: card.task.condition, step: card.step,
                askability: PanelSupport(card.step, on: panel))
        }
        let words = Words(study, on: panel)
        let ofID: [Remark] = study.studyID.count > 200 ? [Self.longID] : []
        remarks =
            study.remarks + ofID + (words.fallsBack ? [Self.withoutWords(words)] : [])
            + (study.cannotWriteMessages(on: panel) ? [Self.withoutLetters] : [])
            + study.stepsLeftOut(on: panel).filter { !$0.task.isAside }.map { task, step, reason in
                Remark(
                    .unsupported, path: step.path,
                    "\(task.key)/\(step.key) is not asked on this board and sent as not answered: \(reason)")
            }
        var known: Set<String> = []
        arms = study.conditions.filter { known.insert($0).inserted }
        armRefusals = study.arms?.refusals ?? [:]
        buttonRefusals = panel.boundButtons(in: study).compactMap { $0.refusal?.description }
    }

    private static let longID = Remark(
        .warning, path: "$",
        "the study's id has more than 200 characters: a study-receiver never takes its answers and reports; give it a shorter one"
    )

    private static let withoutLetters = Remark(
        .unsupported, path: "$",
        "the participant can write to the study team, but not on this board: it has no microphone, and [panel] does not have letters = true"
    )

    private static func withoutWords(_ words: Words) -> Remark {
        let known = Language.allCases.map(\.tag).joined(separator: ", ")
        return Remark(
            .assumption, path: "$",
            "the device does not speak the study's language, \(words.studyLanguage): its own words are English, in an English voice; it knows \(known)"
        )
    }

    /// Why a participant of that arm cannot take part, in words; nil = the participant has no arm.
    /// What only other arms need does not count.
    package func refusals(for condition: String?) -> [String] {
        let own = refusals.filter { $0.condition == nil || $0.condition == condition }.map(\.text)
        return own + (condition.flatMap { armRefusals[$0] } ?? []).map { "\($0.place): \($0.message)".shown }
    }

    package var refusedArms: [String] {
        let refused = Set(refusals.map(\.condition))
        return arms.filter { refused.contains(nil) || refused.contains($0) || armRefusals[$0]?.isEmpty == false }
    }

    /// No participant can take part on this board.
    package var isRefused: Bool {
        arms.isEmpty ? !refusals(for: nil).isEmpty : refusedArms.count == arms.count
    }

    /// One line for people: what can be asked, and how much was assumed.
    package var summary: String {
        let questions = entries.count { $0.step.format.isQuestion }
        let refused = refusals.count
        let instructions = entries.count - questions
        let asked =
            switch (questions, refused) {
            case (0, 0): "no questions"
            case (1, 0): "1 question, which can be asked on this board"
            case (_, 0): "\(questions) questions, all can be asked on this board"
            default: "\(Plural.of(questions, "question")), \(refused) cannot be asked on this board"
            }
        var notes = instructions > 0 ? [Plural.of(instructions, "instruction")] : []
        let kinds: [(Remark.Kind, String, String)] = [
            (.warning, "warning", "warnings"), (.unsupported, "thing not supported", "things not supported"),
            (.assumption, "assumption", "assumptions"),
        ]
        for (kind, one, many) in kinds {
            let count = RemarkList(remarks.filter { $0.kind == kind }).count
            if count > 0 { notes.append(Plural.of(count, one, many)) }
        }
        return ([asked] + notes).joined(separator: "; ")
    }

    package var refusals: [Entry] { entries.filter(\.askability.isRefused) }
}
