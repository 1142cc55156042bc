// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A questionnaire as its datasets have it.
struct ESMiraQuestionnaire: Sendable {
    let internalID: Int
    let title: String
    /// In the order of the file, whether asked here or not.
    let inputs: [ESMiraInput]
    /// Keys of the steps of each page.
    let pages: [Set<String>]
    let sumScores: [SumScore]
    /// Names of values that scripts fill.
    let virtualInputs: [String]

    /// How long it took, in milliseconds: sent with the answers, and seen by the conditions of charts.
    static let durationKey = "formDuration"

    /// Where an answer of the run keeps what a script gave.
    static func virtualKey(_ name: String) -> String { "virtual~" + name }

    struct SumScore: Sendable, Hashable {
        let name: String
        let adds: [String]
        let subtracts: [String]
    }

    /// Answers of all inputs and what scripts gave ("" where that is nothing, `VirtualInput.getValue`), and the
    /// sums of them: a value that is no whole number counts as 0. A sum may add what scripts gave and the sums
    /// before it (`DataSet.saveQuestionnaire`).
    func fields(_ answers: Answers) -> [ESMiraInput.Field] {
        let virtual = virtualInputs.map { name -> ESMiraInput.Field in
            guard case .text(let value)? = answers[Self.virtualKey(name)] else { return (name, "") }
            return (name, value)
        }
        var fields = inputs.flatMap { $0.fields(answers) } + virtual
        var values = Dictionary(fields.map { ($0.name, Int($0.value) ?? 0) }) { $1 }
        func sum(_ names: [String]) -> Int { names.reduce(0) { $0 &+ (values[$1] ?? 0) } }
        for score in sumScores {
            let total = sum(score.adds) &- sum(score.subtracts)
            values[score.name] = total
            fields.append((score.name, String(total)))
        }
        return fields
    }

    /// How long each page was shown, in milliseconds, in the order of the file: `QuestionnaireCache.savePage`
    /// of the app (ESMira-apps f750e58). A page that was gone back to counts until it was left for the last
    /// time; one that was passed over has the time of the next, which has 0, as Android's app saves them
    /// (`MainActivity.kt:490`).
    func pageDurations(_ course: RunCourse) -> [Int64] {
        var left: [Instant] = []
        var page: Int?
        for visit in course.visits {
            guard let shown = pages.firstIndex(where: { $0.contains(visit.step) }) else { continue }
            if let page, shown > page {
                while left.count <= page { left.append(visit.times.presented) }
                left[page] = visit.times.presented
            }
            page = shown
        }
        return zip([course.began] + left, left + [course.ended]).map { $1.milliseconds - $0.milliseconds }
    }
}
