// SPDX-License-Identifier: Apache-2.0
import Base

/// The questions of a study of ESMira: questionnaires, pages, inputs. `CodebookReader` calls it for each file.
enum ESMiraCodebook {
    /// Nil for another file, or another study.
    static func read(_ root: JSONText, _ study: String) -> Codebook? {
        // A file of several languages has the default one in `_`.
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
        let versions = versions(main)
        codebook.studyVersion = versions.last
        for place in codebook.items.indices { codebook.items[place].versions = versions }
        return codebook
    }

    /// As answers name it: 1.0 for a file without a version that a server has handed out, and last as a device that
    /// was given the file itself does.
    private static func versions(_ main: JSONText) -> [String] {
        let (version, part) = (number(main["version"]), number(main["subVersion"]))
        let served = (version ?? 0) == 0 ? "1.0" : "\(version ?? 1).\(part ?? 0)"
        return [served, "\(version ?? -1).\(part ?? -1)"].uniqued()
    }

    private static func number(_ value: JSONText?) -> Int? { value.flatMap { Int($0.plain) } }

    /// Values are those that the app sends (`LikertView`, `VaScaleView` and `ListSingleView` of ESMira-apps).
    /// A choice of several also has a column of 0 and 1 for each choice.
    private static func items(_ input: JSONText, _ task: String, _ name: String) -> [Codebook.Item] {
        guard let id = input["name"]?.string else { return [] }
        let type = input["responseType"]?.string ?? "text_input"
        let words = PlainWords.of(input["text"])
        var item = Codebook.Item(task: task, taskName: name, item: id, type: type, words: words)
        item.isRequired = input["required"]?.bool ?? false
        let choices = (input["listChoices"]?.array ?? []).map(PlainWords.of)
        let sides = (PlainWords.of(input["leftSideLabel"]), PlainWords.of(input["rightSideLabel"]))
        let start = input["useCustomStart"]?.bool == true ? input["customStart"]?.double ?? 0 : nil
        func scale(from least: Double, to most: Double) {
            (item.least, item.most) = (least, most)
            item.levels = [.init(JSONText.spelling(of: least), sides.0), .init(JSONText.spelling(of: most), sides.1)]
        }
        switch type {
        case "likert": scale(from: start ?? 1, to: (start ?? 1) + (input["likertSteps"]?.double ?? 5) - 1)
        case "va_scale":
            // The app rounds what it sends; up to 1 the scale ends at 100.
            let greatest = input["maxValue"]?.double ?? 0
            scale(from: start ?? 0, to: greatest > 1 ? (greatest + 0.5).rounded(.down) : 100)
        case "binary": item.levels = [.init("0", sides.0), .init("1", sides.1)]
        case "list_single":
            let other = input["other"]?.bool == true ? ["other"] : []
            let texts = (input["listChoices"]?.array ?? []).map(\.plain) + other
            let isNumbered = input["forceInt"]?.bool == true
            item.levels = texts.enumerated().map { place, text in
                let number = JSONText.spelling(of: (start ?? 1) + Double(place))
                return .init(isNumbered ? number : text, PlainWords.of(.string(text)))
            }
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
