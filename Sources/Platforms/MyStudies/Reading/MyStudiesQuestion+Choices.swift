// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension MyStudiesQuestion {
    mutating func choice(_ type: String) -> AnswerFormat? {
        let key = type == "imageChoice" ? "imageChoices" : "textChoices"
        let places = holder.member(key)?.elements ?? []
        let options = places.enumerated().map { option($1, number: $0 + 1) }
        if options.isEmpty { findings.expected("at least one choice in \(key)", at: holder, found: "none") }
        let values = options.map(\.value)
        if Set(values).count != values.count { findings.expected("choices of different values", at: holder) }
        let style = type == "textChoice" ? findings.text("selectionStyle", in: holder) : ""
        if !["", "Single", "Multiple"].contains(style), let given = holder.member("selectionStyle") {
            findings.assume("only Single and Multiple are supported; Single is used", at: given)
        }
        return .choice(
            ChoiceFormat(
                options: options, isMultiple: style == "Multiple",
                initial: type == "textScale" ? initial(options) : nil))
    }

    /// `default` is a position in the list, the first being 0.
    private mutating func initial(_ options: [ChoiceFormat.Option]) -> String? {
        guard let given = holder.member("default"), given.text != "" else { return nil }
        guard let index = given.integer, options.indices.contains(index) else {
            findings.assume(
                "the default is not a position in the list (counted from 0); the first option is used", at: given)
            return nil
        }
        return options[index].value
    }

    private mutating func option(_ place: JSONPlace, number: Int) -> ChoiceFormat.Option {
        let text = PlainText(html: place.member("text")?.text ?? "").text
        let detail = PlainText(html: place.member("detail")?.text ?? "").text
        let value = place.member("value")?.text ?? text
        if let other = place.member("other"), other.isObject, other.member("textfieldReq")?.isTrue ?? false {
            let placeholder = other.member("placeholder")?.text ?? ""
            others.append(
                Other(
                    value: value, text: placeholder.isEmpty ? text : placeholder,
                    isRequired: other.member("isMandatory")?.isTrue ?? false))
        }
        let label = [text, detail].filter { !$0.isEmpty }.joined(separator: ". ")
        let image = place.member("image")?.text ?? ""
        return ChoiceFormat.Option(
            value: value, text: label.isEmpty && !image.isEmpty ? words(StudyPhrases.picture, "\(number)") : label,
            isExclusive: place.member("exclusive")?.isTrue ?? false, picture: picture(image, at: place))
    }

    /// The base64 of a picture as an address that holds it.
    private mutating func picture(_ base64: String, at place: JSONPlace) -> String? {
        let text = base64.filter { !$0.isWhitespace }
        guard !text.isEmpty else { return nil }
        if text.hasPrefix("data:image/") { return text }
        let isBase64 = text.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "=")].contains(byte)
        }
        guard isBase64 else {
            findings.unsupported("the picture is not valid base64 and is left off the card", at: place)
            return nil
        }
        return "data:image/\(text.hasPrefix("/9j/") ? "jpeg" : "png");base64,\(text)"
    }
}
