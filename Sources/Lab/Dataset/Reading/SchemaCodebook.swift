// SPDX-License-Identifier: Apache-2.0
import Base

/// The questions of a study of schema or momenTUM: modules, sections, questions. `CodebookReader` calls it for
/// each file.
enum SchemaCodebook {
    /// Nil for another file, or another study.
    static func read(_ root: JSONText, _ study: String) -> Codebook? {
        guard let properties = root["properties"], properties["study_id"]?.plain == study, root["modules"] != nil else {
            return nil
        }
        var codebook = Codebook()
        codebook.title = properties["study_name"]?.string
        codebook.instructions = properties["instructions"].map(PlainWords.of)
        codebook.ethics = properties["ethics"].map(PlainWords.of)
        for (place, module) in (root["modules"]?.array ?? []).enumerated() {
            let task = module["uuid"]?.string ?? module["id"]?.string ?? String(place)
            codebook.tasksByPlace[place] = task
            let name = module["name"]?.plain ?? ""
            let sections = module["sections"]?.array ?? module["params"]?["sections"]?.array ?? []
            for question in sections.flatMap({ $0["questions"]?.array ?? [] }) {
                if let item = item(question, task, name) { codebook.items.append(item) }
            }
        }
        return codebook
    }

    private static func item(_ question: JSONText, _ task: String, _ name: String) -> Codebook.Item? {
        guard let id = question["id"]?.string else { return nil }
        let type = question["type"]?.string ?? ""
        var item = Codebook.Item(
            task: task, taskName: name, item: id, type: type, words: PlainWords.of(question["text"]))
        item.isRequired = question["required"]?.bool ?? false
        switch type {
        case "slider":
            (item.least, item.most) = (number(question["min"]), number(question["max"]))
            if let least = item.least { item.levels.append(level(least, question["hint_left"])) }
            if let most = item.most { item.levels.append(level(most, question["hint_right"])) }
        case "multi":
            item.levels = (question["options"]?.array ?? []).map { .init($0.plain, PlainWords.of($0)) }
        case "yesno":
            // What is sent is the words themselves.
            item.levels = ["yes_text", "no_text"].compactMap { question[$0] }.map { .init($0.plain, PlainWords.of($0)) }
        default: break
        }
        return item
    }

    private static func level(_ value: Double, _ words: JSONText?) -> Codebook.Item.Level {
        .init(JSONText.spelling(of: value), PlainWords.of(words))
    }

    private static func number(_ value: JSONText?) -> Double? { value?.double ?? value?.string.flatMap(Double.init) }
}
