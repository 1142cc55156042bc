// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// Reads how one question is answered, for `MyStudiesActivityReader`: call `format` once, then take `findings` and
/// `others`.
struct MyStudiesQuestionReader {
    /// A choice for which a text is entered as well.
    struct Other {
        let value: String
        let text: String
        let isRequired: Bool
    }

    /// Names of voice memos are hardly longer, in characters: two words, and five numbers that count.
    private static let longestReference = 40.0

    private let place: JSONPlace
    private(set) var findings: Findings
    /// Complete once `format` was called.
    private(set) var others: [Other] = []
    /// The study's language, such as `en-US`; nil where none was asked for.
    private let language: String?
    /// For what the platform's app says and its file does not.
    private var words: Words { Words(for: language ?? Language.english.tag) }
    /// The object that describes the answer: the member `format`, else the question itself.
    private let holder: JSONPlace

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

    // MARK: - Numbers

    /// `step` is the distance between two values of the scale.
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

    /// `default`: the value at which the participant begins to choose.
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

    /// A slider with a step of the last allowed digit; above 2000 values, a number is entered instead.
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

    /// In the United States, Liberia and Myanmar heights are given in feet and inches (Unicode CLDR,
    /// measurementSystem US).
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

    // MARK: - Choices

    private mutating func choice(_ type: String) -> AnswerFormat? {
        let key = type == "imageChoice" ? "imageChoices" : "textChoices"
        let places = holder.member(key)?.elements ?? []
        var counts: [String: Int] = [:]
        let options = places.enumerated().compactMap { option($1, number: $0 + 1, &counts) }
        if places.isEmpty { findings.expected("at least one choice in \(key)", at: holder, found: "none") }
        let style = type == "textChoice" ? findings.text("selectionStyle", in: holder) : ""
        if !["", "Single", "Multiple"].contains(style), let given = holder.member("selectionStyle") {
            findings.assume("only Single and Multiple are supported; Single is used", at: given)
        }
        return .choice(
            ChoiceFormat(
                options: options, isMultiple: style == "Multiple",
                initial: type == "textScale" ? initial(options) : nil))
    }

    /// `default` is a position in the list, the first being 1.
    private mutating func initial(_ options: [ChoiceFormat.Option]) -> String? {
        guard let given = holder.member("default"), given.text != "" else { return nil }
        guard let position = given.integer, position > 0, position <= options.count else {
            findings.assume(
                "the default is not a position in the list (counted from 1); the first option is used", at: given)
            return nil
        }
        return options[position - 1].value
    }

    /// `counts` has how often each value occurred before. study-builder lets `other` have the value of
    /// another choice: the apps tell choices apart by position, here a repeated value is numbered.
    ///
    /// Of texts instead of objects, which study-builder never writes, Android's app reads nothing, and iOS's sends
    /// their positions. A number as value or text is its digits, as Android's Gson reads it (iOS: an empty text).
    private mutating func option(
        _ place: JSONPlace, number: Int, _ counts: inout [String: Int]
    ) -> ChoiceFormat.Option? {
        guard place.isObject else {
            findings.expected("a choice with `text` and `value`", at: place)
            return nil
        }
        let text = PlainText(html: place.member("text")?.textOfGson ?? "").text
        let detail = PlainText(html: place.member("detail")?.text ?? "").text
        let given = place.member("value")?.textOfGson ?? text
        let count = counts[given, default: 0] + 1
        counts[given] = count
        let value = count == 1 ? given : MyStudiesKeys.again(given, count)
        if count > 1 {
            findings.assume(
                "an earlier choice has the same value: the same is sent for both; what stays on the device calls this one \"\(value)\"",
                at: place)
        }
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

    // MARK: - Dates

    private mutating func date() -> AnswerFormat? {
        let format: DateTimeFormat = findings.text("style", in: holder) == "Date-Time" ? .dateTime : .date
        guard let limits = dateLimits(format) else { return nil }
        if case .fixed? = limits.earliest, case .fixed(let latest)? = limits.latest,
            limits.range(format, at: latest) == nil
        {
            findings.expected("minDate not after maxDate", at: holder.member("maxDate") ?? holder)
            return nil
        }
        return .dateTime(format, limits: limits)
    }

    /// Nil after a problem, which has been noted.
    private mutating func dateLimits(_ format: DateTimeFormat) -> DateLimits? {
        let initial = moment("default", isEnd: false)
        let range = findings.text("dateRange", in: holder)
        switch range.lowercased() {
        case "", "custom":
            let (low, high) = (moment("minDate", isEnd: false), moment("maxDate", isEnd: true))
            return DateLimits(
                earliest: low.map { .fixed($0) }, latest: high.map { .fixed($0) }, initial: initial)
        case "untilcurrent", "aftercurrent":
            for key in ["minDate", "maxDate"] {
                guard let given = holder.member(key), given.text != "" else { continue }
                findings.assume("ignored: dateRange is \(range)", at: given)
            }
            let isUntil = range.lowercased() == "untilcurrent"
            // A day after the current one; with a time, a moment after this one.
            let after: DateLimits.Bound = format == .date ? .tomorrow : .now
            return DateLimits(earliest: isUntil ? nil : after, latest: isUntil ? .now : nil, initial: initial)
        default:
            findings.expected(
                "a date range: untilCurrent, afterCurrent, custom", at: holder.member("dateRange") ?? holder)
            return nil
        }
    }

    /// A full timestamp or a day, as a wall clock shows it. A day alone is its first second, or its
    /// last at the end of a range.
    private mutating func moment(_ key: String, isEnd: Bool) -> LocalDateTime? {
        guard let given = holder.member(key), given.text != "" else { return nil }
        let text = given.text ?? ""
        if let moment = MyStudiesDates.local(text) { return moment }
        if let day = MyStudiesDates.date(text) {
            return LocalDateTime(day, isEnd ? MyStudiesRuns.lastSecond : .midnight)
        }
        findings.expected("a date such as 2017-05-11T08:56:00.000-0400 or 2017-05-11", at: given)
        return nil
    }

    // MARK: - Texts

    private mutating func text(_ kind: TextRules.Kind) -> AnswerFormat {
        let wanted = kind == .text ? findings.optional("maxLength", 0, in: holder) : 0
        if wanted > Double(TextRules.longest), let given = holder.member("maxLength") {
            findings.assume("by letters at most \(TextRules.longest) characters are taken", at: given)
        }
        if wanted >= 1, wanted < Self.longestReference, let given = holder.member("maxLength") {
            findings.assume(
                "a voice memo is sent as skipped if its name, of some 30 characters, is longer than this", at: given)
        }
        let length = wanted >= 1 ? Int(min(wanted, Double(TextRules.longest))) : nil
        return .text(
            multiline: holder.member("multipleLines")?.isTrue ?? false,
            rules: TextRules(
                kind, maximumLength: length, pattern: kind == .text ? pattern() : nil,
                invalidMessage: PlainText(html: findings.text("invalidMessage", in: holder)).text))
    }

    /// The pattern may match anywhere in the text, as in ResearchKit. If it cannot be read, any text is
    /// accepted.
    private mutating func pattern() -> TextPattern? {
        guard let given = holder.member("validationRegex"), let text = given.text, !text.isEmpty else { return nil }
        do { return try TextPattern(reading: text) } catch {
            findings.unsupported("any text is accepted: the pattern is not supported, \(error)", at: given)
            return nil
        }
    }
}

extension Findings {
    /// A number, or `otherwise` where it is absent.
    mutating func optional(_ key: String, _ otherwise: Double, in place: JSONPlace) -> Double {
        guard let child = place.member(key), child.text != "" else { return otherwise }
        return number(key, in: place) ?? otherwise
    }
}

extension JSONPlace {
    /// As `shown`, but a number as it is spelled, `1.0`.
    fileprivate var textOfGson: String? {
        if case .number(let spelling) = node.content { spelling } else { shown }
    }
}
