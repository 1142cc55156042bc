// SPDX-License-Identifier: Apache-2.0
import Base

/// What a study asks, in its own words.
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
        /// Each `StudySubmission.taskVersion` in which it is asked so; empty where files name none. `2.0~1` is the
        /// first of several wordings in files that all call themselves 2.0.
        package var versions: [String] = []

        /// Whether it asks the same in the same words; the version and the task's title do not count.
        func asks(as other: Item) -> Bool {
            task == other.task && item == other.item && type == other.type && words == other.words
                && levels == other.levels && least == other.least && most == other.most
                && isRequired == other.isRequired
        }

        func isAsked(in version: String?) -> Bool { version.map { versions.contains($0) } ?? versions.isEmpty }
        /// It is one of several wordings in files of that version.
        func isDisputed(in version: String?) -> Bool { versions.contains { $0.hasPrefix("\(version ?? "")~") } }
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

    /// The item of that name in that version of `task`. Where neither the task nor a version is known, the study's only
    /// item of that name.
    package func item(_ name: String, of task: String, in version: String?) -> Item? {
        let named = items.filter { $0.item == name && $0.isAsked(in: version) }
        if let own = named.first(where: { $0.task == task }) { return own }
        let isUnknown = version == nil && !items.contains { $0.task == task }
        return isUnknown && named.count == 1 ? named.first : nil
    }

    /// What values of that item mean in that version of `task`; nil where it is unknown. It is known, too, where files
    /// of the version differ in other words alone.
    func levels(_ name: String, of task: String, in version: String?) -> [Item.Level]? {
        if let item = item(name, of: task, in: version) { return item.levels }
        let wordings = items.filter { $0.item == name && $0.task == task && $0.isDisputed(in: version) }
        let kinds = Set(wordings.map { [$0.type] + $0.levels.flatMap { [$0.value, $0.words] } })
        return kinds.count == 1 ? wordings.first?.levels : nil
    }

    /// Adds what another file of the study says. Call `settle` after the last.
    mutating func add(_ part: Codebook) {
        title = title ?? part.title
        instructions = instructions ?? part.instructions
        ethics = ethics ?? part.ethics
        studyVersion = studyVersion ?? part.studyVersion
        var seen: Set<[String]> = []
        for item in part.items where seen.insert([item.task, item.item] + item.versions).inserted { add(item) }
        // What files call differently has no name.
        tasksByPlace.merge(part.tasksByPlace) { old, new in old == new ? old : "" }
    }

    private mutating func add(_ item: Item) {
        guard let place = items.firstIndex(where: { $0.asks(as: item) }) else { return items.append(item) }
        items[place].versions = (items[place].versions + item.versions).uniqued()
    }

    /// Files of one version, or of none, may ask a question in different words: then it is unknown which of them an
    /// answer is to.
    mutating func settle() {
        tasksByPlace = tasksByPlace.filter { !$0.value.isEmpty }
        for places in Dictionary(grouping: items.indices, by: { [items[$0].task, items[$0].item] }).values {
            let all = places.flatMap { items[$0].versions.isEmpty ? [""] : items[$0].versions }
            let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
            for (number, place) in places.enumerated() {
                let own = items[place].versions.isEmpty ? [""] : items[place].versions
                items[place].versions = own.map { counts[$0, default: 0] > 1 ? "\($0)~\(number + 1)" : $0 }
                    .filter { !$0.isEmpty }
            }
        }
    }
}
