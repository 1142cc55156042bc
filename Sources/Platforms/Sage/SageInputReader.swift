// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// Reads what is entered in one field, for `SageQuestionReader`: input items of v4 and later, input fields of v1 to v3,
/// choices of either. Call `read` or `readChoices` once, then take `findings`.
struct SageInputReader {
    let place: JSONPlace
    /// The file's `uiHint`: `slider`, `likert` and `multipleLine` change how it is asked.
    let hint: String
    /// Used instead of the input's choices, for one component of several.
    let choices: JSONPlace?
    var findings: Findings

    /// The result of `read`: how the panel asks, and how the answer is sent.
    typealias Reading = (format: AnswerFormat, field: SageField)

    /// The types that are known, for the message about one that is not.
    private static let types = [
        "string", "integer", "number", "decimal", "year", "boolean", "checkbox", "date", "time", "date-time",
        "timestamp", "duration", "height", "weight", "choicePicker", "stringChoicePicker", "singleChoice",
        "multipleChoice", "multipleComponent", "postalCode",
    ]

    /// What names the type: `dataType` in files of SageResearch until July 2018, on Android in later ones too.
    private static func typeKey(of place: JSONPlace) -> String {
        place.member("dataType") == nil ? "type" : "dataType"
    }

    /// Nil after a problem, which has been noted.
    mutating func read() -> Reading? {
        guard let given = findings.requiredText(Self.typeKey(of: place), in: place) else { return nil }
        // `singleChoice.integer`: the type, and the type of its choices.
        let parts = given.split(separator: ".", maxSplits: 1).map(String.init)
        let base = parts.count == 2 ? parts[1] : "string"
        if choices == nil, ["string", "integer", "decimal", "number"].contains(given), place.member("choices") != nil {
            return readChoices(base: given, isMultiple: false)
        }
        switch choices == nil ? parts.first ?? "" : "singleChoice" {
        case "string": return text()
        case "postalCode": return postalCode()
        case "integer": return number(isWhole: true)
        case "number", "decimal", "double": return number(isWhole: false)
        case "year": return year()
        case "boolean", "checkbox": return (.yesNo(yes: "Yes", no: "No"), SageField(.boolean))
        case "date", "dateOnly": return date(.date, "yyyy-MM-dd")
        case "date-time", "dateTime", "timestamp": return date(.dateTime, "yyyy-MM-dd'T'HH:mm:ss.SSSZZZZZ")
        case "time", "timeOnly": return date(.time, "HH:mm:ss.SSS")
        case "duration": return duration()
        case "height": return measurement("cm", 300)
        case "weight": return measurement("kg", 500)
        case "choicePicker":
            return readChoices(base: place.member("baseType")?.text ?? guessedBase(), isMultiple: false)
        case "stringChoicePicker": return readChoices(base: "string", isMultiple: false)
        case "singleChoice": return readChoices(base: parts.count == 2 ? base : guessedBase(), isMultiple: false)
        case "multipleChoice": return readChoices(base: parts.count == 2 ? base : guessedBase(), isMultiple: true)
        default:
            findings.expected(
                "a known type of input (\(Self.types.joined(separator: ", ")))",
                at: place.member(Self.typeKey(of: place)) ?? place)
            return nil
        }
    }

    /// The lists of a `multipleComponent`, from each of which one is chosen; nil for any other field.
    static func components(_ place: JSONPlace) -> [JSONPlace]? {
        guard place.member(typeKey(of: place))?.text?.hasPrefix("multipleComponent") ?? false else { return nil }
        return place.member("choices")?.elements?.filter { $0.elements != nil }
    }

    private var options: JSONPlace? { place.member("formatOptions") ?? place.member("range") }

    private mutating func limit(_ key: String) -> Double? {
        options?.member(key).flatMap { findings.writtenNumber(at: $0) }
    }

    // MARK: - Texts and numbers

    private mutating func text() -> Reading? {
        var pattern: TextPattern?
        var message = ""
        // The fields of v1 to v3 take a text with any match, `RegExValidator` one with exactly one.
        let counted = place.member("regExValidator")
        if let validator = counted ?? place.member("textFieldOptions")?.member("textValidator") {
            message = validator.member("invalidMessage")?.text ?? ""
            let holder = validator.member("pattern") ?? validator.member("regExPattern") ?? validator
            if let source = holder.text {
                do {
                    pattern = try TextPattern(reading: source, onlyOnce: counted != nil)
                } catch {
                    findings.expected("a regular expression that can be read", at: holder, found: "\(error)")
                    return nil
                }
            }
        }
        let limit =
            place.member("characterLimit")?.integer
            ?? place.member("textFieldOptions")?.member("maximumLength")?.integer
        let rules = TextRules(
            maximumLength: limit.flatMap { $0 > 0 ? $0 : nil }, pattern: pattern, invalidMessage: message)
        return (.text(multiline: hint == "multipleLine", rules: rules), SageField(.string))
    }

    /// Only its first three characters are kept, as in SageResearch; a spoken text cannot be cut.
    private mutating func postalCode() -> Reading {
        findings.assume("only the first three characters are kept; of a spoken text, all of it", at: place)
        var field = SageField(.string)
        field.maximumLength = 3
        return (.text(multiline: false, rules: TextRules(maximumLength: 10)), field)
    }

    private mutating func number(isWhole: Bool) -> Reading? {
        let (low, high) = (limit("minimumValue"), limit("maximumValue"))
        if let low, let high, low > high {
            findings.expected("minimumValue not above maximumValue", at: options ?? place)
            return nil
        }
        let field = SageField(isWhole ? .integer : .number)
        if ["slider", "likert"].contains(hint), let low, let high, low < high {
            return (scale(low, high, isWhole: isWhole), field)
        }
        let digits = isWhole ? 0 : min(max(options?.member("maximumFractionDigits")?.integer ?? 4, 0), 6)
        return (
            .number(
                NumberFormat(
                    minimum: low, maximum: high, maximumFractionDigits: digits,
                    unit: options?.member("unit")?.text ?? "")), field
        )
    }

    private mutating func scale(_ low: Double, _ high: Double, isWhole: Bool) -> AnswerFormat {
        var step = limit("stepInterval") ?? 0
        if step <= 0 || (high - low) / step > 2_000 {
            step = isWhole ? max(1, ((high - low) / 100).rounded(.up)) : (high - low) / 100
            if !isWhole || step > 1 {
                findings.assume("a sliding scale has 100 places here", at: options ?? place)
            }
        }
        return .slider(
            SliderFormat(
                minimum: low, maximum: high, step: step, minimumLabel: options?.member("minimumLabel")?.text ?? "",
                maximumLabel: options?.member("maximumLabel")?.text ?? ""))
    }

    private mutating func year() -> Reading? {
        let least = limit("minimumYear") ?? year(of: "minimumDate") ?? limit("minimumValue")
        let most = limit("maximumYear") ?? year(of: "maximumDate") ?? limit("maximumValue")
        let (low, high) = (least ?? 1_900, most ?? 2_100)
        guard low <= high else {
            findings.expected("minimumYear not above maximumYear", at: options ?? place)
            return nil
        }
        // A limit that the study names comes first, as in AssessmentModel.
        var limits: Set<NumberFormat.YearLimit> = []
        if least == nil, options?.member("allowPast")?.boolean == false { limits.insert(.minimum) }
        if most == nil, options?.member("allowFuture")?.boolean == false { limits.insert(.maximum) }
        let format = NumberFormat(minimum: low, maximum: high, maximumFractionDigits: 0, yearLimits: limits)
        return (.number(format), SageField(.integer))
    }

    /// Years of v1 to v3 can have dates as their limits.
    private func year(of key: String) -> Double? {
        options?.member(key)?.text.flatMap { Int($0.prefix(4)) }.map { Double($0) }
    }

    private func measurement(_ unit: String, _ high: Double) -> Reading {
        (
            .number(NumberFormat(minimum: 0, maximum: high, maximumFractionDigits: 1, unit: unit)),
            SageField(.measurement(unit))
        )
    }

    /// Asked in its smallest unit, sent in seconds.
    private mutating func duration() -> Reading? {
        if let range = place.member("range") { return duration(in: range) }
        let given = findings.texts("displayUnits", in: place).map(\.text)
        let units = given.isEmpty ? ["hour", "minute"] : given
        let isSeconds = units.contains("second")
        let isMinutes = units.contains("minute")
        var field = SageField(.duration(units))
        field.scale = isSeconds ? 1 : isMinutes ? 60 : 3_600
        let high = 86_400 / field.scale
        let unit = isSeconds ? "seconds" : isMinutes ? "minutes" : "hours"
        if units.count > 1 { findings.assume("asked in \(unit) alone, sent in seconds", at: place) }
        return (.number(NumberFormat(minimum: 0, maximum: high, maximumFractionDigits: 0, unit: unit)), field)
    }

    /// Units of durations in files of v1 to v3, the smallest first, as `NSUnitDuration` has their symbols.
    private static let durationUnits: [(symbol: String, name: String, ofADay: Double)] = [
        ("s", "seconds", 86_400), ("min", "minutes", 1_440), ("hr", "hours", 24),
    ]

    /// A duration of v1 to v3: asked, limited and sent in the smallest of its units (SageResearch stable-3,
    /// `RSDDurationRangeObject.swift`, and `RSDNumberInputTableItem.swift`, which keeps the limits).
    private mutating func duration(in range: JSONPlace) -> Reading? {
        func smallest(_ texts: [String]) -> (symbol: String, name: String, ofADay: Double)? {
            Self.durationUnits.first { unit in texts.contains { $0 == unit.symbol || $0 == unit.name } }
        }
        let units = findings.texts("durationUnits", in: range)
        for named in units.map(\.place) + [range.member("unit")].compactMap(\.self)
        where smallest([named.text ?? ""]) == nil {
            findings.warn("no known unit of a duration (s, min, hr): it is passed over, as in the app", at: named)
        }
        let given = units.map(\.text)
        guard
            let unit = smallest(given) ?? smallest([range.member("unit")?.text ?? ""]) ?? Self.durationUnits.first
        else { return nil }
        let (low, high) = (limit("minimumValue") ?? 0, limit("maximumValue") ?? unit.ofADay)
        guard low <= high else {
            findings.expected("minimumValue not above maximumValue", at: range)
            return nil
        }
        if unit.symbol != "hr", given.count != 1 { findings.assume("asked in \(unit.name) alone", at: range) }
        return (
            .number(NumberFormat(minimum: low, maximum: high, maximumFractionDigits: 0, unit: unit.name)),
            SageField(.measurement(unit.symbol))
        )
    }

    // MARK: - Dates

    private mutating func date(_ format: DateTimeFormat, _ coding: String) -> Reading? {
        var earliest = options?.member("allowPast")?.boolean == false ? DateLimits.Bound.now : nil
        var latest = options?.member("allowFuture")?.boolean == false ? DateLimits.Bound.now : nil
        if format != .time {
            if let low = bound("minimumValue") ?? bound("minimumDate") { earliest = low }
            if let high = bound("maximumValue", isEnd: true) ?? bound("maximumDate", isEnd: true) { latest = high }
        }
        let given = options?.member("codingFormat")?.text ?? coding
        if let named = options?.member("codingFormat"), !SageDate.isKnown(given) {
            findings.warn(
                "months are sent as numbers, never in words, and letters other than y M d H h m s S a as they are",
                at: named)
        }
        if format == .time {
            let range = options
            let isLimited = ["minimumValue", "minimumDate", "maximumValue", "maximumDate"].contains {
                range?.member($0) != nil
            }
            if isLimited || earliest != nil || latest != nil {
                findings.assume("any time of the day can be entered", at: options ?? place)
            }
            (earliest, latest) = (nil, nil)
        }
        let field = SageField(format == .time ? .time(given) : .date(given))
        return (.dateTime(format, limits: DateLimits(earliest: earliest, latest: latest)), field)
    }

    /// A limit that is a day without a time includes the whole day.
    private mutating func bound(_ key: String, isEnd: Bool = false) -> DateLimits.Bound? {
        guard let place = options?.member(key) else { return nil }
        guard let text = place.text, let date = SageSchedule.date(String(text.prefix(10))) else {
            findings.warn("no date such as 2026-12-31: it limits nothing", at: place)
            return nil
        }
        let given = SageSchedule.minute(String(text.dropFirst(11).prefix(5)))
        if given != nil { findings.assume("its time is taken as local, whatever zone it names", at: place) }
        let minute = given ?? (isEnd ? 1_439 : 0)
        return LocalTime(hour: minute / 60, minute: minute % 60).map { .fixed(LocalDateTime(date, $0)) }
    }

    // MARK: - Choices

    /// The JSON type of the first choice that has a value.
    func guessedBase() -> String {
        let elements = (choices ?? place.member("choices"))?.elements ?? []
        let value = elements.compactMap { $0.isObject ? $0.member("value") : $0 }.first
        if value?.boolean != nil { return "boolean" }
        if case .number? = value?.node.content { return value?.integer == nil ? "number" : "integer" }
        return "string"
    }

    mutating func readChoices(base: String, isMultiple: Bool) -> Reading? {
        let kinds: [String: SageField.Kind] = [
            "string": .string, "integer": .integer, "number": .number, "decimal": .number, "boolean": .boolean,
            "year": .integer,
        ]
        guard let kind = kinds[base] else {
            findings.expected("choices of string, integer, number or boolean", at: place, found: "\"\(base)\"")
            return nil
        }
        var field = SageField(kind)
        field.isArray = isMultiple
        let elements = choices?.elements ?? findings.array("choices", of: "choices", in: place)
        // The apps tell choices of one value apart (AssessmentModel-Swift 0d9f9dc, `ChoiceViewModel.id`; SageResearch
        // ddc72f18, `QuestionTableItemGroup`).
        var keys = ChoiceKeys()
        for element in elements {
            guard var choice = choice(element, kind) else { continue }
            let key = keys.key(choice.key)
            if key != choice.key {
                findings.warn(
                    "an earlier choice has the same value: the same is sent for both; what stays on the device calls this one \"\(key)\"",
                    at: element)
            }
            choice.key = key
            field.choices.append(choice)
        }
        guard !field.choices.isEmpty else {
            if elements.isEmpty { findings.expected("at least one choice", at: place, found: "none") }
            return nil
        }
        let options = field.choices.map {
            ChoiceFormat.Option(value: $0.key, text: $0.text, isExclusive: isMultiple && ($0.isExclusive || $0.isAll))
        }
        return (.choice(ChoiceFormat(options: options, isMultiple: isMultiple)), field)
    }

    private mutating func choice(_ place: JSONPlace, _ kind: SageField.Kind) -> SageField.Choice? {
        if let shown = place.shown, let value = place.identity {
            return isRight(place, kind)
                ? .init(key: shown, value: value, text: shown, isAll: false, isExclusive: false) : nil
        }
        guard place.isObject else {
            findings.expected("a choice", at: place)
            return nil
        }
        let value = place.member("value")
        if let value, !isRight(value, kind) { return nil }
        let text = place.member("text")?.shown ?? value?.shown ?? ""
        let detail = place.member("detail")?.text ?? ""
        let selector = place.member("selectorType")?.text
        for picture in ["icon", "image"] {
            if let icon = place.member(picture) { findings.unsupported("the picture is not shown", at: icon) }
        }
        guard !text.isEmpty else {
            findings.missing("text", "the text of the choice", in: place)
            return nil
        }
        let isExclusive =
            selector == "exclusive" || place.member("exclusive")?.isTrue ?? false
            || place.member("isExclusive")?.isTrue ?? false
        return .init(
            key: value?.shown ?? text, value: value?.identity, text: SageText.join([text, detail]),
            isAll: selector == "all", isExclusive: isExclusive)
    }

    /// False, with a problem, where a choice's value is not of the field's kind.
    private mutating func isRight(_ place: JSONPlace, _ kind: SageField.Kind) -> Bool {
        let isRight =
            switch kind {
            case .boolean: place.boolean != nil
            case .integer: place.writtenNumber != nil && place.integer != nil
            case .number: place.writtenNumber != nil
            default: place.text != nil
            }
        if !isRight { findings.expected("a value of the choices' own type", at: place) }
        return isRight
    }
}
