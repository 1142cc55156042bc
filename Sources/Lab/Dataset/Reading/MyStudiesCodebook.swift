// SPDX-License-Identifier: Apache-2.0
import Base

/// The questions of an activity of FDA MyStudies: a file for each, with its steps. `CodebookReader` calls it
/// for each file.
enum MyStudiesCodebook {
    /// Nil for another file, or another study.
    static func read(_ root: JSONText, _ study: String) -> Codebook? {
        guard let activity = root["activity"], activity["metadata"]?["studyId"]?.plain == study else { return nil }
        var codebook = Codebook()
        let task = activity["metadata"]?["activityId"]?.plain ?? ""
        let name = activity["metadata"]?["name"]?.plain ?? ""
        // A form is an answer, and so is each of its questions.
        for step in activity["steps"]?.array ?? [] {
            codebook.items += ([step] + (step["steps"]?.array ?? [])).compactMap { item($0, task, name) }
        }
        let version = activity["metadata"]?["version"]?.plain ?? "1.0"
        for place in codebook.items.indices { codebook.items[place].versions = [version] }
        return codebook
    }

    private static func item(_ step: JSONText, _ task: String, _ name: String) -> Codebook.Item? {
        guard let key = step["key"]?.string else { return nil }
        let type = step["resultType"]?.string ?? ""
        let words = [step["title"], step["text"]].map(PlainWords.of).filter { !$0.isEmpty }.joined(separator: " ")
        var item = Codebook.Item(
            task: task, taskName: name, item: key, type: type.isEmpty ? step["type"]?.string ?? "" : type, words: words)
        item.isRequired = step["skippable"]?.bool == false
        let format = step["format"]
        (item.least, item.most) = (format?["minValue"]?.double, format?["maxValue"]?.double)
        let choices = (format?["textChoices"] ?? format?["imageChoices"])?.array ?? []
        item.levels = choices.map { .init($0["value"]?.plain ?? "", PlainWords.of($0["text"])) }
        if type == "scale", let least = item.least, let most = item.most {
            item.levels = [
                .init(JSONText.spelling(of: least), PlainWords.of(format?["minDesc"])),
                .init(JSONText.spelling(of: most), PlainWords.of(format?["maxDesc"])),
            ]
        }
        if type == "boolean" { item.levels = [.init("true", "yes"), .init("false", "no")] }
        return item
    }
}
