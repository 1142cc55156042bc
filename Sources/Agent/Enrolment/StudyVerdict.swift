// SPDX-License-Identifier: Apache-2.0
import StudyEngine
import StudyModel

/// What a panel makes of a study, question by question. Enrolment refuses what is refused here.
public struct StudyVerdict: Sendable {
    /// One question or instruction.
    public struct Entry: Sendable {
        /// Its card number, from 1 over the whole study.
        public let card: Int
        /// The key of its task.
        public let task: String
        /// The arm that its task belongs to; nil = everybody's.
        public let condition: String?
        /// The step as in the study's file.
        public let step: Step
        /// How the panel asks it, or why it cannot.
        public let askability: PanelSupport

        /// One line for people.
        public var text: String {
            switch askability {
            case .asked(let how, let answered): "card \(card)  \(task)/\(step.key): \(how); \(answered)"
            case .refused(let reason): "card \(card)  \(task)/\(step.key): REFUSED (\(step.path)): \(reason)"
            }
        }

        /// The same for programs.
        public var json: JSONText {
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
    public let entries: [Entry]
    /// The reader's remarks.
    public let remarks: [Remark]
    /// The study's arms, each once; empty where it has none.
    public let arms: [String]
    /// What is wrong with an arm's own tasks in the study itself.
    public let armRefusals: [String: [Remark]]

    /// What `panel` makes of `study`.
    public init(_ study: StudyProtocol, on panel: Panel) {
        entries = CardIndex(study).cards.map { card in
            Entry(
                card: card.number, task: card.task.key, condition: card.task.condition, step: card.step,
                askability: PanelSupport(card.step, on: panel))
        }
        let words = Words(study, on: panel)
        remarks = study.remarks + (words.fallsBack ? [Self.withoutWords(words)] : [])
        arms = study.conditions.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        armRefusals = study.armRefusals
    }

    private static func withoutWords(_ words: Words) -> Remark {
        let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
        return Remark(
            .assumption, path: "$",
            "the device has no words of its own in the study's language, \(words.studyLanguage): they are English, and said by an English voice; it has them in \(known)"
        )
    }

    /// Why somebody of that arm cannot take part, in words; nil = who has none. What only other arms need does not count.
    public func refusals(for condition: String?) -> [String] {
        let own = refusals.filter { $0.condition == nil || $0.condition == condition }.map(\.text)
        return own + (condition.flatMap { armRefusals[$0] } ?? []).map { "\($0.place): \($0.message)" }
    }

    /// The arms that cannot be run here.
    public var refusedArms: [String] { arms.filter { !refusals(for: $0).isEmpty } }

    /// Nobody can take part on this board.
    public var isRefused: Bool {
        arms.isEmpty ? !refusals(for: nil).isEmpty : refusedArms.count == arms.count
    }

    /// What cannot be asked.
    public var refusals: [Entry] { entries.filter(\.askability.isRefused) }
}
