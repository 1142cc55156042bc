// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads how one question is answered.
struct MyStudiesQuestion {
    /// A choice that asks for words of its own.
    struct Other {
        let value: String
        let text: String
        let isRequired: Bool
    }

    private let place: JSONPlace
    var findings: Findings
    var others: [Other] = []
    /// The study's, such as `en-US`; nil where none was asked for.
    private let language: String?
    /// For what the platform's app says and its file does not.
    var words: Words { Words(for: language ?? Language.english.tag) }
    /// Where its format is described.
    let holder: JSONPlace

    init(_ place: JSONPlace, language: String? = nil, findings: Findings) {
        self.place = place
        self.language = language
        self.findings = findings
        holder = place.member("format") ?? place
    }

    /// Nil after a problem, which has been noted.
    mutating func format() -> AnswerFormat? {
        let type = findings.text("resultType", in: place)
        switch type {
        case "scale": return scale()
        case "continuousScale": return continuousScale()
        case "textScale", "valuePicker", "imageChoice", "textChoice": return choice(type)
        case "boolean": return .yesNo(yes: words(StudyPhrases.yes), no: words(StudyPhrases.no))
        case "numeric": return numeric()
        case "date": return date()
        case "timeOfDay": return .dateTime(.time)
        case "text": return text(.text)
        case "email": return text(.email)
        case "timeInterval": return interval()
        case "height": return height()
        case "location": return location()
        default:
            findings.expected(
                "a result type: scale, continuousScale, textScale, valuePicker, imageChoice, textChoice, boolean, numeric, date, timeOfDay, text, email, timeInterval, height, location",
                at: place.member("resultType") ?? place)
            return nil
        }
    }
}

// MARK: - Numbers

extension MyStudiesQuestion {
    /// `step` is the distance of two places, whatever ResearchKit calls it.
    private mutating func scale() -> AnswerFormat? {
        var step = findings.optional("step", 1, in: holder)
        if step <= 0, let given = holder.member("step") {
            findings.assume("a step must be above 0; 1 is used", at: given)
            step = 1
        }
        guard let (low, high) = limits() else { return nil }
        if step > high - low, let given = holder.member("step") {
            findings.expected("a step that fits between minValue and maxValue", at: given)
            return nil
        }
        return slider(low, high, step: step)
    }

    private mutating func slider(_ low: Double, _ high: Double, step: Double) -> AnswerFormat? {
        guard (high - low) / step < 1e6 else {
            findings.expected("minValue below maxValue, and less than a million places", at: holder)
            return nil
        }
        let places = ((high - low) / step + 1e-6).rounded(.down)
        if abs(low + places * step - high) > 1e-6 {
            findings.assume("maxValue is not a whole number of steps above minValue and cannot be chosen", at: holder)
        }
        for (picture, name) in [("minImage", "minDesc"), ("maxImage", "maxDesc")] {
            guard let image = holder.member(picture), image.text != "", holder.member(name)?.text ?? "" == "" else {
                continue
            }
            findings.unsupported(
                "the picture at this end of the scale is not shown, and no words name the end", at: image)
        }
        return .slider(
            SliderFormat(
                minimum: low, maximum: high, step: step, minimumLabel: findings.text("minDesc", in: holder),
                maximumLabel: findings.text("maxDesc", in: holder), initial: proposal(low...high)))
    }

    private mutating func limits() -> (Double, Double)? {
        let low = findings.optional("minValue", -10_000, in: holder)
        let high = findings.optional("maxValue", 10_000, in: holder)
        guard low < high else {
            findings.expected("minValue below maxValue, and less than a million places", at: holder)
            return nil
        }
        return (low, high)
    }

    /// `default`, where choosing begins.
    private mutating func proposal(_ range: ClosedRange<Double>) -> Double? {
        guard let given = holder.member("default"), given.text != "" else { return nil }
        guard let value = given.number else {
            findings.expected("a number", at: given)
            return nil
        }
        if range.contains(value) { return value }
        findings.assume("the default is outside the scale; starting in the middle", at: given)
        return nil
    }

    /// As many places as its digits allow; where they are too many for a scale, a
    /// number is entered.
    private mutating func continuousScale() -> AnswerFormat? {
        let wanted = findings.optional("maxFractionDigits", 0, in: holder)
        let digits = Int(min(max(wanted.rounded(.down), 0), 4))
        if Double(digits) != wanted, let given = holder.member("maxFractionDigits") {
            findings.assume("0 to 4 digits are supported; \(digits) are used", at: given)
        }
        let step = [1, 0.1, 0.01, 0.001, 0.0001][digits]
        guard let (low, high) = limits() else { return nil }
        if (high - low) / step <= 2_000 { return slider(low, high, step: step) }
        findings.assume("the scale has more than 2000 places: a number is entered instead", at: holder)
        return .number(NumberFormat(minimum: low, maximum: high, maximumFractionDigits: digits))
    }

    private mutating func numeric() -> AnswerFormat? {
        let style = findings.text("style", in: holder)
        if !["", "integer", "decimal"].contains(style.lowercased()), let given = holder.member("style") {
            findings.assume("only Integer and Decimal are supported; Integer is used", at: given)
        }
        let low = findings.optional("minValue", 0, in: holder)
        let high = findings.optional("maxValue", 10_000, in: holder)
        guard low <= high else {
            findings.expected("minValue not above maxValue", at: holder)
            return nil
        }
        return .number(
            NumberFormat(
                minimum: low, maximum: high, maximumFractionDigits: style.lowercased() == "decimal" ? 4 : 0,
                unit: findings.text("unit", in: holder)))
    }

    /// Asked in minutes, though `default` and conditions count seconds and results hours.
    private mutating func interval() -> AnswerFormat {
        let wanted = findings.optional("step", 1, in: holder)
        let step = min(max(wanted.rounded(.down), 1), 30)
        if step != wanted, let given = holder.member("step") {
            findings.assume("1 to 30 minutes are supported; \(JSONText.spelling(of: step)) is used", at: given)
        }
        let initial = proposal(0...86_400).map { $0 / 60 }
        return .slider(
            SliderFormat(
                minimum: 0, maximum: 1_440, step: step, minimumLabel: "minutes", maximumLabel: "minutes",
                initial: initial))
    }

    private mutating func height() -> AnswerFormat {
        let system = holder.member("measurementSystem")
        let isInches =
            switch system?.text?.lowercased() ?? "" {
            case "us", "usc", "u.s. customary": true
            case "local": Self.countsInInches(language)
            default: false
            }
        guard isInches else {
            return .number(NumberFormat(minimum: 0, maximum: 300, maximumFractionDigits: 1, unit: "cm"))
        }
        if let system { findings.assume("asked in inches, sent in centimetres", at: system) }
        return .number(NumberFormat(minimum: 0, maximum: 118, maximumFractionDigits: 1, unit: MyStudiesHeight.inches))
    }

    /// Foot and inch are what people measure themselves in in the United States, Liberia and
    /// Myanmar (Unicode CLDR, measurementSystem US).
    private static func countsInInches(_ language: String?) -> Bool {
        let parts = (language ?? "").split(whereSeparator: { $0 == "-" || $0 == "_" }).map { $0.uppercased() }
        return parts.dropFirst().contains { ["US", "LR", "MM"].contains($0) }
    }

    private mutating func location() -> AnswerFormat {
        if let current = holder.member("useCurrentLocation"), current.boolean == false {
            findings.assume("there is no map to choose from: the device's location is used", at: current)
        }
        return .position
    }
}

extension Findings {
    /// A number, or what it is where it is absent.
    mutating func optional(_ key: String, _ otherwise: Double, in place: JSONPlace) -> Double {
        guard let child = place.member(key), child.text != "" else { return otherwise }
        return number(key, in: place) ?? otherwise
    }
}
