// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What the datasets of a questionnaire need to know of it: `ESMiraQuestionnaireReader` makes it;
/// `ESMiraWriter`, scripts and charts use it.
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

    /// The key among a run's answers under which the value of a virtual input is kept.
    static func virtualKey(_ name: String) -> String { "virtual~" + name }

    struct SumScore: Sendable, Hashable {
        let name: String
        let adds: [String]
        let subtracts: [String]
    }

    /// The answers of all inputs, then the virtual inputs ("" where no script filled one,
    /// `VirtualInput.getValue`), then the sum scores. A sum may add any field before it, earlier sums
    /// included; one that is not a whole number counts as 0 (`DataSet.saveQuestionnaire`).
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
    /// of the app (ESMira-apps f750e58). A page that the participant went back to counts until it was left
    /// for the last time. A page that was skipped gets the time of the page after it, which then has 0, as
    /// in the Android app (`MainActivity.kt:490`).
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
