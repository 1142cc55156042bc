// SPDX-License-Identifier: Apache-2.0

/// The questions of a codebook by their names: finds the words that an answer was given to, for the exports
/// (`DatasetExport`, `BIDSExport`).
struct CodebookIndex {
    enum Meaning: Hashable {
        case level(String)
        /// The words are known, and say nothing of it.
        case plain
        /// Of files that the answer may be to, each wording's: `"good" in 2.0~1`.
        case disputed([String])
        /// The words are not here.
        case unknown
    }

    private let byName: [String: [Codebook.Item]]
    private let byTask: [String: [Codebook.Item]]

    init(_ codebook: Codebook) {
        byName = Dictionary(grouping: codebook.items, by: \.item)
        byTask = Dictionary(grouping: codebook.items, by: \.task)
    }

    var isEmpty: Bool { byTask.isEmpty }

    func items(of task: String) -> [Codebook.Item] { byTask[task] ?? [] }

    /// The item of that name in that version of `task`. Where neither the task nor a version is known, the study's only
    /// item of that name.
    func item(_ name: String, of task: String, in version: String?) -> Codebook.Item? {
        let named = (byName[name] ?? []).filter { $0.isAsked(in: version) }
        if let own = named.first(where: { $0.task == task }) { return own }
        let isUnknown = version == nil && byTask[task] == nil
        return isUnknown && named.count == 1 ? named.first : nil
    }

    /// Where files of the version differ, it is known if it is the same by each of them that allows the value.
    func meaning(of value: String, to name: String, of task: String, in version: String?) -> Meaning {
        func known(_ words: String?) -> Meaning { words.map(Meaning.level) ?? .plain }
        if let item = item(name, of: task, in: version) { return known(item.meaning(of: value)) }
        let wordings = (byName[name] ?? []).filter { $0.task == task && !$0.disputedNames(in: version).isEmpty }
        guard !wordings.isEmpty else { return .unknown }
        let possible = wordings.filter { $0.allows(value) }
        let meanings = possible.map { $0.meaning(of: value) }.uniqued()
        guard meanings.count > 1 else { return known(meanings.first ?? nil) }
        return .disputed(
            possible.map { item in
                let words = item.meaning(of: value).map { "\"\($0)\"" } ?? "nothing"
                return "\(words) in \(item.disputedNames(in: version).joined(separator: " "))"
            })
    }

    func label(of answer: StudySubmission.Answer, in submission: StudySubmission) -> String? {
        let meaning = meaning(of: answer.value, to: answer.item, of: submission.task, in: submission.taskVersion)
        return if case .level(let words) = meaning { words } else { nil }
    }
}
