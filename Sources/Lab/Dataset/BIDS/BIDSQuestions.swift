// SPDX-License-Identifier: Apache-2.0
import Base

/// The questions of a study as columns of an events file, the same in every file of an export: `BIDSExport`
/// makes it before anything is written, `BIDSEvents` fills the columns.
struct BIDSQuestions {
    /// In the order of the study.
    var columns: [String] { names.columns }
    /// The description of each column, in the order of `columns`.
    let json: [JSONText.Member]
    private let names: Names
    /// By column, the cells of the levels by their values.
    private let cells: [String: [String: String]]

    /// Reads every answer once. Where all answers are among a question's levels, BIDS' `Levels` lists them;
    /// else, as for a question that takes several choices at once, `Choices` does.
    init(of dataset: any StudyDataset, reserved: [String]) throws {
        let items = dataset.codebook.items
        let wordings = Dictionary(grouping: items, by: { Question(task: $0.task, item: $0.item) })
        let known = Set(items.map(\.item))
        let others = try dataset.items().filter { !known.contains($0) }
        let questions =
            items.map { Question(task: $0.task, item: $0.item) }.uniqued()
            + others.map { Question(task: nil, item: $0) }
        names = Names(questions, reserved: reserved)
        let given = try Self.collectAnswers(in: dataset, names)
        var (cells, json): ([String: [String: String]], [JSONText.Member]) = ([:], [])
        for (column, question) in zip(names.columns, questions) {
            let wordings = wordings[question] ?? []
            let own = Self.cells(wordings.flatMap { $0.levels.map(\.value) })
            cells[column] = own
            json.append(.init(column, Self.json(question.item, wordings, given[column] ?? Given(), own)))
        }
        (self.cells, self.json) = (cells, json)
    }

    /// The column of an answer; nil for a question that was first answered after this was made.
    func column(_ item: String, of task: String) -> String? { names.column(item, of: task) }

    /// An answer as it is in its column.
    func cell(_ answer: String, in column: String) -> String { cells[column]?[answer] ?? answer }

    /// Cells have no tabs and no ends of lines; values that differ in these alone are told apart.
    private static func cells(_ values: [String]) -> [String: String] {
        var taken = Set(values.filter { BIDSCell.text($0) == $0 })
        return Set(values).sorted().reduce(into: [:]) { cells, value in
            var cell = BIDSCell.text(value)
            if cell != value { while !taken.insert(cell).inserted { cell += "_" } }
            cells[value] = cell
        }
    }

    /// The answers in a column.
    private struct Given {
        var values: Set<String> = []
        /// Some are to a question in words that are not in the codebook.
        var isPartlyUnknown = false
    }

    private static func collectAnswers(in dataset: any StudyDataset, _ names: Names) throws -> [String: Given] {
        let codebook = CodebookIndex(dataset.codebook)
        var given: [String: Given] = [:]
        try dataset.forEachRecord { record in
            for submission in record.submissions {
                for answer in submission.answers where !answer.value.isEmpty {
                    guard let column = names.column(answer.item, of: submission.task) else { continue }
                    var own = given[column] ?? Given()
                    // Bounds memory: free texts are no levels.
                    if own.values.count < 1000 { own.values.insert(answer.value) }
                    let item = codebook.item(answer.item, of: submission.task, in: submission.taskVersion)
                    if item == nil { own.isPartlyUnknown = true }
                    given[column] = own
                }
            }
        }
        return given
    }

    /// A question of several wordings, or of versions that are not all known, is described by version.
    private static func json(
        _ name: String, _ wordings: [Codebook.Item], _ given: Given, _ cells: [String: String]
    ) -> JSONText {
        guard let first = wordings.first else {
            return .object(["Description": .string("The answer to \(name), which the study's file does not describe.")])
        }
        let isWhole = wordings.count == 1 && (first.versions.isEmpty || !given.isPartlyUnknown)
        guard !isWhole else { return json(first, given.values, cells) }
        let versions = wordings.map {
            JSONText.Member($0.versions.joined(separator: " "), json($0, given.values, cells))
        }
        return .object([
            "LongName": .string(name),
            "Description": .string("The answer to \(name), as the version in the column task_version asks it."),
            "Versions": .object(versions),
        ])
    }

    private static func json(_ item: Codebook.Item, _ values: Set<String>, _ cells: [String: String]) -> JSONText {
        // As the answers are in the tables.
        let levels = item.levels.map { JSONText.Member(cells[$0.value] ?? $0.value, .string($0.words)) }
        let isClosed = values.isSubset(of: item.levels.map(\.value))
        let range = item.least.flatMap { least in
            item.most.map { JSONText.array([.decimal(least), .decimal($0)]) }
        }
        return .object([
            "LongName": .string(item.item), "Description": .string(item.words.isEmpty ? item.item : item.words),
            "Task": .string(item.taskName.isEmpty ? item.task : item.taskName), "QuestionType": .string(item.type),
            "Levels": levels.isEmpty || !isClosed ? nil : .object(levels),
            "Choices": levels.isEmpty || isClosed ? nil : .object(levels), "Range": range,
        ])
    }

    private struct Question: Hashable {
        /// Nil for a question that is not in the codebook.
        let task: String?
        let item: String
    }

    private struct Names {
        private(set) var columns: [String] = []
        /// Columns by task and question; by question alone for answers whose task is not in the codebook.
        private var byTask: [String: [String: String]] = [:]
        private var byItem: [String: String] = [:]

        init(_ questions: [Question], reserved: [String]) {
            let described = questions.filter { $0.task != nil }
            let shared = Dictionary(grouping: described, by: \.item).filter { $0.value.count > 1 }.keys
            for question in questions {
                let (task, item) = (question.task, question.item)
                // A name that several tasks use, or that BIDS reserves, gets the task before it.
                let isPlain = !shared.contains(item) && !reserved.contains(item)
                let column = Self.unique(isPlain ? item : "\(task ?? "answer").\(item)", columns + reserved)
                columns.append(column)
                if let task { byTask[task, default: [:]][item] = column }
                if byItem[item] == nil { byItem[item] = column }
            }
        }

        func column(_ item: String, of task: String) -> String? { byTask[task]?[item] ?? byItem[item] }

        private static func unique(_ name: String, _ taken: [String]) -> String {
            var text = BIDSCell.text(name)
            while taken.contains(text) { text += "_" }
            return text
        }
    }
}
