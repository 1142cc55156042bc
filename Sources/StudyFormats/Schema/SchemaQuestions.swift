// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// Reads the questions of one module, which may look at each other.
struct SchemaQuestions {
    var decoder: SchemaDecoder
    /// Where each id stands first.
    private var places: [String: JSONPlace] = [:]
    /// How each question is answered, for the branching rules that look at it.
    private var formats: [String: AnswerFormat] = [:]

    /// All questions of a module, of all its sections.
    init(_ questions: [JSONPlace], decoder: SchemaDecoder) {
        self.decoder = decoder
        for place in questions {
            guard let id = self.decoder.findings.requiredText("id", in: place) else { continue }
            if let other = places[id], let idPlace = place.member("id") {
                self.decoder.findings.expected(
                    "an id of its own", at: idPlace, found: "\"\(id)\", which is also that of \(other.path)")
                continue
            }
            places[id] = place
            formats[id] = format(place)
        }
    }

    /// One question; nil when its id or its type is unusable, which has been noted.
    mutating func step(_ place: JSONPlace) -> Step? {
        guard let id = place.member("id")?.text, places[id]?.path == place.path, let format = formats[id] else {
            return nil
        }
        let group = decoder.findings.text("rand_group", in: place)
        if group.isEmpty, let groupPlace = place.member("rand_group") {
            decoder.findings.assume("an empty name means no group; the app would make one of it", at: groupPlace)
        }
        let text = decoder.plain("text", in: place)
        if text.isEmpty {
            decoder.findings.assume(
                "the question has no text; only its card number tells what it is", for: "text", in: place)
        }
        return Step(
            key: id, text: text, format: format, isRequired: isRequired(place, format),
            visibleWhen: branch(place), drawGroup: group.isEmpty ? nil : group, path: place.path)
    }

    private mutating func isRequired(_ place: JSONPlace, _ format: AnswerFormat) -> Bool {
        guard let required = place.member("required") else { return false }
        if required.boolean == nil {
            decoder.findings.assume("not required: only the value true makes a question required", at: required)
        }
        if required.isTrue, !format.isQuestion {
            decoder.findings.assume("there is nothing to answer here, so it is not required", at: required)
        }
        return required.isTrue && format.isQuestion
    }

    private mutating func format(_ place: JSONPlace) -> AnswerFormat? {
        guard let type = decoder.findings.requiredText("type", in: place) else { return nil }
        switch type {
        case "instruction": return .instruction
        case "text": return textFormat(place)
        case "datetime": return dateTimeFormat(place)
        case "yesno": return yesNoFormat(place)
        case "slider": return sliderFormat(place)
        case "multi": return choiceFormat(place)
        case "media": return mediaFormat(place, subtype: decoder.findings.text("subtype", in: place))
        case "video", "audio", "image":
            // The README's names; the app shows nothing for them.
            if let typePlace = place.member("type") {
                decoder.findings.assume(
                    "\"\(type)\" of the README is read as a media question of that subtype", at: typePlace)
            }
            return mediaFormat(place, subtype: type)
        case "external", "file": return webFormat(place)
        default:
            if let typePlace = place.member("type") {
                decoder.findings.expected(
                    "a question type: instruction, text, datetime, yesno, slider, multi, media, external, file",
                    at: typePlace)
            }
            return nil
        }
    }

    private mutating func textFormat(_ place: JSONPlace) -> AnswerFormat? {
        switch subtype(place, of: ["short", "long", "numeric"]) {
        case "long": .text(multiline: true)
        // The app takes any number; two digits after the point are what a board's panel offers.
        case "numeric": .number(NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: 2))
        case .some: .text(multiline: false)
        case nil: nil
        }
    }

    private mutating func dateTimeFormat(_ place: JSONPlace) -> AnswerFormat? {
        switch subtype(place, of: ["datetime", "date", "time"]) {
        case "date": .dateTime(.date)
        case "time": .dateTime(.time)
        case .some: .dateTime(.dateTime)
        case nil: nil
        }
    }

    /// The subtype, or the first of `known` where the file gives none.
    private mutating func subtype(_ place: JSONPlace, of known: [String]) -> String? {
        guard let child = place.member("subtype") else {
            decoder.findings.assume("no subtype; \"\(known[0])\" is assumed", for: "subtype", in: place)
            return known[0]
        }
        guard let text = child.text, known.contains(text) else {
            decoder.findings.expected("one of \(known.joined(separator: ", "))", at: child)
            return nil
        }
        return text
    }

    private mutating func yesNoFormat(_ place: JSONPlace) -> AnswerFormat? {
        let yes = decoder.findings.requiredText("yes_text", in: place)
        let no = decoder.findings.requiredText("no_text", in: place)
        guard let yes, let no else { return nil }
        return .yesNo(yes: yes, no: no)
    }

    private mutating func sliderFormat(_ place: JSONPlace) -> AnswerFormat? {
        let minimum = decoder.findings.number("min", in: place)
        let maximum = decoder.findings.number("max", in: place)
        let left = decoder.plain("hint_left", in: place)
        let right = decoder.plain("hint_right", in: place)
        guard let minimum, let maximum else { return nil }
        guard minimum < maximum else {
            decoder.findings.expected(
                "min below max", at: place.member("min") ?? place,
                found: "min \(JSONText.spelling(of: minimum)) and max \(JSONText.spelling(of: maximum))")
            return nil
        }
        return .slider(
            SliderFormat(minimum: minimum, maximum: maximum, step: 1, minimumLabel: left, maximumLabel: right))
    }

    private mutating func choiceFormat(_ place: JSONPlace) -> AnswerFormat? {
        let elements = decoder.findings.array("options", of: "texts", in: place)
        let options = decoder.findings.texts("options", in: place).map(\.text)
        if elements.isEmpty, let child = place.member("options"), child.elements != nil {
            decoder.findings.expected("at least one option", at: child, found: "none")
        }
        let isRadio = decoder.findings.flag("radio", in: place)
        return .choice(
            ChoiceFormat(
                options: options.map { .init(value: $0, text: PlainText(html: $0).text) }, isMultiple: !isRadio,
                isShuffled: decoder.findings.flag("shuffle", in: place),
                isModal: decoder.findings.flag("modal", in: place)))
    }

    private mutating func mediaFormat(_ place: JSONPlace, subtype: String) -> AnswerFormat? {
        guard let source = decoder.findings.requiredText("src", in: place) else { return nil }
        guard let kind = MediaReference.Kind(rawValue: subtype), kind != .web else {
            decoder.findings.expected("image, audio or video", at: place.member("subtype") ?? place)
            return nil
        }
        let reference = MediaReference(kind: kind, source: source, path: place.path(to: "src"))
        guard kind == .audio else {
            unsupported(place, "a board without a screen cannot show the \(kind.rawValue); its text is told instead")
            return .media(reference)
        }
        guard Self.isPlayable(source) else {
            unsupported(place, "only WAV and FLAC can be played; convert the file")
            return .media(reference)
        }
        if !decoder.cachesMedia {
            decoder.findings.assume(
                "fetched at enrolment although `cache` is not true: the device may be offline when it is due",
                at: place.member("src") ?? place)
        }
        decoder.media.append(reference)
        return .media(reference)
    }

    /// By the last part of the address, without its query.
    static func isPlayable(_ source: String) -> Bool {
        let name = source.prefix { $0 != "?" && $0 != "#" }.lowercased()
        return name.hasSuffix(".wav") || name.hasSuffix(".flac")
    }

    private mutating func webFormat(_ place: JSONPlace) -> AnswerFormat? {
        guard let source = decoder.findings.requiredText("src", in: place) else { return nil }
        unsupported(place, "a board without a screen cannot open a page or a file; its text is told instead")
        return .media(MediaReference(kind: .web, source: source, path: place.path(to: "src")))
    }

    private mutating func unsupported(_ place: JSONPlace, _ message: String) {
        decoder.findings.unsupported(message, at: place.member("src") ?? place)
    }
}

extension SchemaQuestions {
    /// The question's branching rule; nil where it is always shown.
    private mutating func branch(_ place: JSONPlace) -> (any Condition)? {
        let driver = decoder.findings.text("hide_id", in: place)
        // momenTUM writes "none".
        guard !driver.isEmpty, driver != "none" || places["none"] != nil, let idPlace = place.member("hide_id") else {
            return nil
        }
        guard let driverPlace = places[driver] else {
            decoder.findings.expected("the id of a question of this module", at: idPlace)
            return nil
        }
        guard let format = formats[driver] else { return nil }
        switch format {
        case .slider: return sliderBranch(place, driver)
        case .choice, .yesNo, .text, .number: return equalityBranch(place, driver, format)
        case .instruction, .media, .dateTime, .active, .position:
            decoder.findings.assume(
                "always shown: questions of the type of \(driverPlace.path) hide nothing, as in the app", at: idPlace)
            return nil
        }
    }

    private mutating func equalityBranch(
        _ place: JSONPlace, _ driver: String, _ format: AnswerFormat
    ) -> (any Condition)? {
        guard let hideIf = place.member("hide_if") else {
            decoder.findings.assume("always shown: `hide_if` is missing, as in the app", for: "hide_if", in: place)
            return nil
        }
        guard let hides = hideIf.boolean else {
            decoder.findings.expected("true or false", at: hideIf)
            return nil
        }
        if case .choice(let choice) = format, choice.isMultiple {
            decoder.findings.assume(
                choice.isModal
                    ? "several options of a modal list never equal `hide_value`, as in the app"
                    : "compared with all ticked options in order, each followed by a semicolon (\"A;C;\"), also after ticking; the app looks only once, at opening",
                at: place.member("hide_value") ?? place)
        }
        return SchemaBranch(driver: driver, format: format, rule: .equal(hideValue(place), hides: hides))
    }

    /// The value as it is compared, type included; nil where the file has none, which equals no answer.
    private mutating func hideValue(_ place: JSONPlace) -> JSONText? {
        guard let child = place.member("hide_value") else { return nil }
        switch child.node.content {
        case .string(let text): return .string(text)
        case .boolean(let value): return .boolean(value)
        case .number: return child.number.map(JSONText.number)
        default:
            decoder.findings.expected("a text or a number", at: child)
            return nil
        }
    }

    private mutating func sliderBranch(_ place: JSONPlace, _ driver: String) -> (any Condition)? {
        guard let child = place.member("hide_value") else {
            decoder.findings.missing("hide_value", "\">\" or \"<\" and a whole number", in: place)
            return nil
        }
        guard let text = child.text, let sign = text.first, let limit = Self.leadingInteger(text.dropFirst()) else {
            decoder.findings.expected("\">\" or \"<\" and a whole number", at: child)
            return nil
        }
        let rule: SchemaBranch.Rule = sign == ">" ? .atLeast(limit) : .atMost(limit)
        return SchemaBranch(driver: driver, format: formats[driver] ?? .instruction, rule: rule)
    }

    /// The whole number a text begins with, after spaces.
    static func leadingInteger(_ text: Substring) -> Int? {
        var rest = text.drop(while: \.isWhitespace)
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        guard let value = Int(rest.prefix { $0.isASCII && $0.isNumber }) else { return nil }
        return isNegative ? -value : value
    }
}
