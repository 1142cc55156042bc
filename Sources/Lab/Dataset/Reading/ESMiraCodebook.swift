// SPDX-License-Identifier: Apache-2.0
import Base

/// The questions of a study of ESMira: questionnaires, pages, inputs.
enum ESMiraCodebook {
    /// Nil for another file, or another study.
    static func read(_ root: JSONText, _ study: String) -> Codebook? {
        let main = root["_"] ?? root
        guard let questionnaires = main["questionnaires"]?.array, main["id"]?.plain == study else { return nil }
        var codebook = Codebook()
        codebook.title = main["title"]?.string
        codebook.instructions = main["studyDescription"].map(PlainWords.of)
        for questionnaire in questionnaires {
            let (task, name) = (questionnaire["internalId"]?.plain ?? "", questionnaire["title"]?.plain ?? "")
            let inputs = (questionnaire["pages"]?.array ?? []).flatMap { $0["inputs"]?.array ?? [] }
            for input in inputs { codebook.items += items(input, task, name) }
        }
        return codebook
    }

    /// A choice of several also has a column of 0 and 1 for each choice.
    private static func items(_ input: JSONText, _ task: String, _ name: String) -> [Codebook.Item] {
        guard let id = input["name"]?.string else { return [] }
        let type = input["responseType"]?.string ?? "text_input"
        let words = PlainWords.of(input["text"])
        var item = Codebook.Item(task: task, taskName: name, item: id, type: type, words: words)
        item.isRequired = input["required"]?.bool ?? false
        let choices = (input["listChoices"]?.array ?? []).map(PlainWords.of)
        let sides = (PlainWords.of(input["leftSideLabel"]), PlainWords.of(input["rightSideLabel"]))
        switch type {
        case "likert":
            let steps = input["likertSteps"]?.double ?? 5
            (item.least, item.most) = (1, steps)
            item.levels = [.init("1", sides.0), .init(JSONText.spelling(of: steps), sides.1)]
        case "va_scale":
            (item.least, item.most) = (1, input["maxValue"]?.double ?? 100)
            item.levels = [.init("1", sides.0), .init(JSONText.spelling(of: item.most ?? 100), sides.1)]
        case "binary": item.levels = [.init("0", sides.0), .init("1", sides.1)]
        case "list_single": item.levels = choices.enumerated().map { .init(String($0.offset + 1), $0.element) }
        case "list_multiple":
            return [item]
                + choices.enumerated().map { place, choice in
                    var part = Codebook.Item(
                        task: task, taskName: name, item: "\(id)~\(place + 1)", type: type,
                        words: "\(words) \(choice)")
                    part.levels = [.init("0", "no"), .init("1", "yes")]
                    return part
                }
        default: break
        }
        return [item]
    }
}
