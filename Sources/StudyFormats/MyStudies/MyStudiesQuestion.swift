// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// Reads how one question is answered.
struct MyStudiesQuestion {
    /// A choice that asks for words of its own.
    struct Other {
        let value: String
        let text: String
        let isRequired: Bool
    }

    let place: JSONPlace
    var findings: Findings
    private(set) var others: [Other] = []
    private let holder: JSONPlace

    init(_ place: JSONPlace, findings: Findings) {
        self.place = place
        self.findings = findings
        holder = place.member("format") ?? place
    }

    /// Nil after a problem, which has been noted.
    mutating func format() -> AnswerFormat? {
        let type = findings.text("resultType", in: place)
        switch type {
        case "scale": return scale(step: max(findings.optional("step", 1, in: holder), 1))
        case "continuousScale": return continuousScale()
        case "textScale", "valuePicker", "imageChoice", "textChoice": return choice(type)
        case "boolean": return .yesNo(yes: "Yes", no: "No")
        case "numeric": return numeric()
        case "date": return date()
        case "timeOfDay": return .dateTime(.time)
        case "text": return .text(multiline: holder.member("multipleLines")?.isTrue ?? false)
        case "email": return .text(multiline: false)
        case "timeInterval": return interval()
        case "height":
            return .number(NumberFormat(minimum: 0, maximum: 300, maximumFractionDigits: 1, unit: "cm"))
        case "location": return .position
        default:
            findings.expected(
                "a result type: scale, continuousScale, textScale, valuePicker, imageChoice, textChoice, boolean, numeric, date, timeOfDay, text, email, timeInterval, height, location",
                at: place.member("resultType") ?? place)
            return nil
        }
    }

    private mutating func scale(step: Double) -> AnswerFormat? {
        let low = findings.optional("minValue", -10_000, in: holder)
        let high = findings.optional("maxValue", 10_000, in: holder)
        guard low < high, (high - low) / step <= 1e6 else {
            findings.expected("minValue below maxValue, and at most a million places", at: holder)
            return nil
        }
        return .slider(
            SliderFormat(
                minimum: low, maximum: high, step: step, minimumLabel: findings.text("minDesc", in: holder),
                maximumLabel: findings.text("maxDesc", in: holder)))
    }

    /// As many places as its digits allow; where they are too many for a scale, a number is entered.
    private mutating func continuousScale() -> AnswerFormat? {
        let digits = Int(min(max(findings.optional("maxFractionDigits", 0, in: holder), 0), 4))
        let step = [1, 0.1, 0.01, 0.001, 0.0001][digits]
        let low = findings.optional("minValue", -10_000, in: holder)
        let high = findings.optional("maxValue", 10_000, in: holder)
        guard (high - low) / step > 2_000 else { return scale(step: step) }
        guard low < high else { return scale(step: step) }
        return .number(NumberFormat(minimum: low, maximum: high, maximumFractionDigits: digits))
    }

    private mutating func numeric() -> AnswerFormat {
        let isDecimal = findings.text("style", in: holder) == "Decimal"
        return .number(
            NumberFormat(
                minimum: findings.optional("minValue", 0, in: holder),
                maximum: findings.optional("maxValue", 10_000, in: holder), maximumFractionDigits: isDecimal ? 4 : 0,
                unit: findings.text("unit", in: holder)))
    }

    private mutating func date() -> AnswerFormat {
        for key in ["minDate", "maxDate", "dateRange"] {
            guard let limit = holder.member(key), let text = limit.text, !text.isEmpty else { continue }
            findings.unsupported("the limit is printed on the card, not enforced on the buttons", at: limit)
        }
        return .dateTime(findings.text("style", in: holder) == "Date-Time" ? .dateTime : .date)
    }

    /// Asked in minutes; conditions count seconds, results hours.
    private mutating func interval() -> AnswerFormat {
        let step = min(max(findings.optional("step", 1, in: holder), 1), 30)
        return .slider(
            SliderFormat(minimum: 0, maximum: 1_440, step: step, minimumLabel: "minutes", maximumLabel: "minutes"))
    }

    private mutating func choice(_ type: String) -> AnswerFormat? {
        let key = type == "imageChoice" ? "imageChoices" : "textChoices"
        let places = holder.member(key)?.elements ?? []
        let options = places.map { option($0) }
        if options.isEmpty { findings.expected("at least one choice in \(key)", at: holder, found: "none") }
        let values = options.map(\.value)
        if Set(values).count != values.count { findings.expected("choices of different values", at: holder) }
        let isMultiple = type == "textChoice" && findings.text("selectionStyle", in: holder) == "Multiple"
        return .choice(ChoiceFormat(options: options, isMultiple: isMultiple))
    }

    private mutating func option(_ place: JSONPlace) -> ChoiceFormat.Option {
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
        return ChoiceFormat.Option(
            value: value, text: [text, detail].filter { !$0.isEmpty }.joined(separator: ". "),
            isExclusive: place.member("exclusive")?.isTrue ?? false)
    }
}

extension Findings {
    /// A number, or what it is where it is absent.
    mutating func optional(_ key: String, _ otherwise: Double, in place: JSONPlace) -> Double {
        guard let child = place.member(key), child.text != "" else { return otherwise }
        return number(key, in: place) ?? otherwise
    }
}
