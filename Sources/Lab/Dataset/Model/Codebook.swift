// SPDX-License-Identifier: Apache-2.0

/// What a study asks, in its own words: `CodebookReader` makes it of the study's files, exports label answers
/// by it and write it as `codebook.csv`.
package struct Codebook: Sendable, Hashable {
    package struct Item: Sendable, Hashable {
        /// A value that an answer can have, and what it means.
        package struct Level: Sendable, Hashable {
            package let value: String
            package let words: String

            package init(_ value: String, _ words: String) { (self.value, self.words) = (value, words) }
        }

        package let task: String
        package let taskName: String
        package let item: String
        /// In the platform's word: `slider`, `multi`, `likert`, `textChoice`.
        package let type: String
        /// As the participant is asked.
        package let words: String
        /// In the study's order; empty where the answer is no choice.
        package var levels: [Level] = []
        package var least: Double?
        package var most: Double?
        package var isRequired = false
        /// Each `StudySubmission.taskVersion` in which it is asked so; empty where files name none. Where files of one
        /// version ask it differently, with the number of the file: `2.0~1`, or `~1` where they name no version.
        package var versions: [String] = []

        /// Whether it asks the same in the same words; the version and the task's title do not count.
        func asks(as other: Item) -> Bool {
            task == other.task && item == other.item && type == other.type && words == other.words
                && levels == other.levels && least == other.least && most == other.most
                && isRequired == other.isRequired
        }

        /// In the version of a numbered file (`2.0~1`) is also what all files of 2.0 ask alike.
        func isAsked(in version: String?) -> Bool {
            guard let version else { return versions.isEmpty }
            guard !versions.contains(version) else { return true }
            guard let plain = Codebook.version(ofFile: version) else { return false }
            return plain.isEmpty ? versions.isEmpty : versions.contains(plain)
        }

        /// Its numbered names (`2.0~1`) in that version, whose files ask it differently.
        func disputedNames(in version: String?) -> [String] {
            versions.filter { Codebook.version(ofFile: $0) == version ?? "" }
        }

        /// What a value means; nil where it is no level, or its words say no more than the value.
        func meaning(of value: String) -> String? {
            levels.first { $0.value == value && $0.words != value && !$0.words.isEmpty }?.words
        }

        /// Whether an answer can have that value: a choice has no others than its levels, a scale has more.
        func allows(_ value: String) -> Bool {
            levels.isEmpty || least != nil || most != nil || levels.contains { $0.value == value }
        }
    }

    package var title: String?
    /// What the study says of itself, and of its approval.
    package var instructions: String?
    package var ethics: String?
    /// In the study's order.
    package var items: [Item] = []
    /// Names of tasks by their place in the study, as some platforms send them.
    package var tasksByPlace: [Int: String] = [:]

    /// Of the study, where the files tell one.
    var studyVersion: String?

    /// `2.0` of `2.0~1`, and the empty text of `~1`; nil for a version without a file's number.
    static func version(ofFile name: String) -> String? {
        guard let end = name.lastIndex(of: "~"), Int(name[name.index(after: end)...]) != nil else { return nil }
        return String(name[..<end])
    }

    /// The files with a number in each version: `2.0~2` is the second file that calls itself 2.0 and asks other
    /// questions in the task than the first, `~2` that of files without versions.
    static func numbered(_ files: [Codebook]) -> [Codebook] {
        var numbers: [[String]: [[Item]: Int]] = [:]
        return files.map { file in
            var (file, names) = (file, [[String]: String]())
            for (task, questions) in Dictionary(grouping: file.items, by: \.task) {
                for version in Set(questions.flatMap { $0.versions.isEmpty ? [""] : $0.versions }) {
                    let known = numbers[[task, version]] ?? [:]
                    let number = known[questions] ?? known.count + 1
                    numbers[[task, version], default: [:]][questions] = number
                    names[[task, version]] = "\(version)~\(number)"
                }
            }
            for place in file.items.indices {
                let item = file.items[place]
                let versions = item.versions.isEmpty ? [""] : item.versions
                file.items[place].versions = versions.compactMap { names[[item.task, $0]] }
            }
            return file
        }
    }

    /// What the files of a study say together; they are `numbered`. Numbers stay where files of one version, or of
    /// none, ask a question differently.
    init(joining files: [Codebook]) {
        for file in files { add(file) }
        // What files call differently has no name.
        tasksByPlace = tasksByPlace.filter { !$0.value.isEmpty }
        for places in Dictionary(grouping: items.indices, by: { [items[$0].task, items[$0].item] }).values {
            let all = places.flatMap { Set(items[$0].versions.compactMap(Self.version(ofFile:))) }
            let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
            for place in places {
                let names = items[place].versions.map { name in
                    Self.version(ofFile: name).flatMap { counts[$0, default: 0] > 1 ? nil : $0 } ?? name
                }
                items[place].versions = names.filter { !$0.isEmpty }.uniqued()
            }
        }
    }

    init() {}

    /// Adds what another file of the study says.
    mutating func add(_ part: Codebook) {
        title = title ?? part.title
        instructions = instructions ?? part.instructions
        ethics = ethics ?? part.ethics
        studyVersion = studyVersion ?? part.studyVersion
        var places = Dictionary(grouping: items.indices, by: { [items[$0].task, items[$0].item] })
        var seen: Set<[String]> = []
        for item in part.items where seen.insert([item.task, item.item] + item.versions).inserted {
            let key = [item.task, item.item]
            if let place = places[key]?.first(where: { items[$0].asks(as: item) }) {
                items[place].versions = (items[place].versions + item.versions).uniqued()
            } else {
                places[key, default: []].append(items.count)
                items.append(item)
            }
        }
        tasksByPlace.merge(part.tasksByPlace) { old, new in old == new ? old : "" }
    }

    /// By task, how a device names the version of a numbered file in its answers: with the number where files of that
    /// version ask something in the task differently. Without those tasks of which the file has several versions, or
    /// none.
    func versions(in file: Codebook) -> [String: String] {
        let numbered = Set(items.flatMap { item in item.versions.map { [item.task, $0] } })
        return Dictionary(grouping: file.items, by: \.task).compactMapValues { questions in
            let names = Set(questions.map(\.versions))
            guard names.count == 1, let name = names.first?.last, let task = questions.first?.task else { return nil }
            let version = numbered.contains([task, name]) ? name : Self.version(ofFile: name) ?? name
            return version.isEmpty ? nil : version
        }
    }
}
