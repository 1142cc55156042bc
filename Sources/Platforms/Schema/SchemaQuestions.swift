// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the questions of one module, which may look at each other.
struct SchemaQuestions {
    /// A question before its rules are read.
    struct Entry {
        let place: JSONPlace
        /// Unlike that of every other question of the module.
        let key: String
        let wireKey: String
        /// As rules name it, type included; nil where it has none that a rule could name.
        let identity: JSONText?
        /// How it is answered; nil where it cannot be asked, which has been noted.
        let format: AnswerFormat?
    }

    var decoder: SchemaDecoder
    private var entries: [Entry] = []
    /// By the path of a question.
    private var numbers: [String: Int] = [:]

    /// All questions of a module, of all its sections.
    init(_ questions: [JSONPlace], decoder: SchemaDecoder) {
        self.decoder = decoder
        var unique = UniqueKeys()
        for place in questions {
            let (wireKey, identity) = name(of: place)
            let key = unique.key(for: wireKey.isEmpty ? "question" : wireKey)
            numbers[place.path] = entries.count
            entries.append(
                Entry(place: place, key: key, wireKey: wireKey, identity: identity, format: format(place)))
        }
    }

    /// The id as results carry it, and as rules name it.
    private mutating func name(of place: JSONPlace) -> (wireKey: String, identity: JSONText?) {
        guard let id = place.member("id") else {
            decoder.findings.warn(
                "without an id its answer is sent as \"undefined\", as in the app", for: "id", in: place)
            return ("undefined", nil)
        }
        // `shown` is as the app prints it, `plain` without its HTML.
        guard let text = decoder.shown(id), let identity = id.identity else { return ("", nil) }
        if text.isEmpty { decoder.findings.warn("its answer is sent under an empty name", at: id) }
        if let other = entries.first(where: { $0.wireKey == text }) {
            decoder.findings.warn(
                "\"\(text)\" is also the id of \(other.place.path); as in the app only the later one's answer is sent",
                at: id)
        }
        return (text, text.isEmpty ? nil : identity)
    }

    /// One question; nil when it cannot be asked, which has been noted.
    mutating func step(_ place: JSONPlace) -> Step? {
        guard let number = numbers[place.path], let format = entries[number].format else { return nil }
        let entry = entries[number]
        let group = decoder.shown("rand_group", in: place)
        if group.isEmpty, let groupPlace = place.member("rand_group") {
            decoder.findings.assume("an empty name means no group; the app would make one of it", at: groupPlace)
        }
        let text = decoder.plain("text", in: place)
        if text.isEmpty {
            decoder.findings.assume(
                "the question has no text; only its card number identifies it", for: "text", in: place)
        }
        var step = Step(
            key: entry.key, text: text, format: format, isRequired: isRequired(place, format),
            visibleWhen: SchemaBranchReader.branch(place, among: entries, &decoder.findings),
            drawGroup: group.isEmpty ? nil : group, path: place.path)
        step.wireKey = entry.wireKey
        return step
    }

    private mutating func isRequired(_ place: JSONPlace, _ format: AnswerFormat) -> Bool {
        guard let required = place.member("required") else { return false }
        if required.boolean == nil {
            decoder.findings.assume("not required: only the value true makes a question required", at: required)
        }
        if required.isTrue, !format.isQuestion, place.member("type")?.text != "photo" {
            decoder.findings.assume("there is nothing to answer here, so it is not required", at: required)
        }
        return required.isTrue && format.isQuestion
    }

    private mutating func format(_ place: JSONPlace) -> AnswerFormat? {
        let type = decoder.shown("type", in: place)
        switch type {
        case "instruction": return .instruction
        case "text": return textFormat(place)
        case "datetime": return dateTimeFormat(place)
        case "yesno": return yesNoFormat(place)
        case "slider": return sliderFormat(place)
        case "multi": return choiceFormat(place)
        case "media": return mediaFormat(place, subtype: decoder.shown("subtype", in: place))
        case "video", "audio", "image":
            // The README's names; the app shows nothing for them.
            if let typePlace = place.member("type") {
                decoder.findings.assume(
                    "\"\(type)\" of the README is read as a media question of that subtype", at: typePlace)
            }
            return mediaFormat(place, subtype: type)
        case "external", "file": return webFormat(place)
        case "photo": return decoder.photo(place)
        default:
            return nothing(
                "\(type.isEmpty ? "no type" : "\"\(type)\" is a type unknown to the app"): it shows nothing to answer there",
                at: "type", in: place)
        }
    }

    /// What the app shows without anything to answer: here its text is said.
    private mutating func nothing(_ message: String, at key: String, in place: JSONPlace) -> AnswerFormat {
        decoder.findings.warn(message + "; its text is given", for: key, in: place)
        return .instruction
    }

    private mutating func textFormat(_ place: JSONPlace) -> AnswerFormat? {
        switch subtype(place, of: ["short", "long", "numeric"]) {
        case "long": .text(multiline: true)
        case "numeric": numberFormat(place)
        case .some: .text(multiline: false)
        case nil: nothing("the app shows nothing to answer for that subtype", at: "subtype", in: place)
        }
    }

    /// The app takes any number, unless momenTUM's designer of 2025 gave it limits; two digits
    /// after the point are what a board's panel offers.
    private mutating func numberFormat(_ place: JSONPlace) -> AnswerFormat? {
        let limits = ["min_value", "max_value"].map { key in
            place.member(key) == nil ? nil : decoder.findings.number(key, in: place)
        }
        if let minimum = limits[0], let maximum = limits[1], minimum >= maximum {
            decoder.findings.expected("max_value above min_value", at: place.member("max_value") ?? place)
        }
        return .number(NumberFormat(minimum: limits[0], maximum: limits[1], maximumFractionDigits: 2))
    }

    private mutating func dateTimeFormat(_ place: JSONPlace) -> AnswerFormat? {
        switch subtype(place, of: ["datetime", "date", "time"]) {
        case "date": .dateTime(.date)
        case "time": .dateTime(.time)
        case .some: .dateTime(.dateTime)
        case nil: nothing("the app shows nothing to answer for that subtype", at: "subtype", in: place)
        }
    }

    /// The subtype, or the first of `known` where the file gives none.
    private mutating func subtype(_ place: JSONPlace, of known: [String]) -> String? {
        guard let child = place.member("subtype") else {
            decoder.findings.assume("no subtype; \"\(known[0])\" is assumed", for: "subtype", in: place)
            return known[0]
        }
        return child.text.flatMap { known.contains($0) ? $0 : nil }
    }

    private mutating func yesNoFormat(_ place: JSONPlace) -> AnswerFormat? {
        let texts = ["yes_text", "no_text"].map { key in
            let text = decoder.shown(key, in: place)
            if text.isEmpty {
                decoder.findings.warn("an answer without words, which is sent as \"\"", for: key, in: place)
            }
            return text
        }
        return .yesNo(yes: texts[0], no: texts[1])
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
        let options = decoder.shownTexts("options", in: place)
        if elements.isEmpty, place.member("options")?.elements != nil {
            return nothing("no options: the app shows nothing to answer there", at: "options", in: place)
        }
        let isRadio = decoder.findings.flag("radio", in: place)
        return .choice(
            ChoiceFormat(
                options: options.map { .init(value: $0, text: PlainText(html: $0).text) }, isMultiple: !isRadio,
                isShuffled: decoder.findings.flag("shuffle", in: place),
                isModal: decoder.findings.flag("modal", in: place)))
    }

    private mutating func mediaFormat(_ place: JSONPlace, subtype: String) -> AnswerFormat? {
        let source = decoder.shown("src", in: place)
        guard !source.isEmpty else { return nothing("no address: the app shows nothing there", at: "src", in: place) }
        guard let kind = MediaReference.Kind(rawValue: subtype), [.image, .audio, .video].contains(kind) else {
            return nothing("the app shows image, audio and video only", at: "subtype", in: place)
        }
        let reference = MediaReference(kind: kind, source: source, path: place.path(to: "src"))
        guard kind != .image else {
            unsupported(place, "a board without a screen cannot show the image; its text is given instead")
            return .media(reference)
        }
        if kind == .video {
            unsupported(
                place,
                "a board without a screen cannot show the video: its text is given, and its sound is played where there is a loudspeaker"
            )
        }
        if !decoder.cachesMedia {
            decoder.findings.assume(
                "fetched at enrolment although `cache` is not true: the device may be offline when it is due",
                at: place.member("src") ?? place)
        }
        decoder.media.append(reference)
        return .media(reference)
    }

    private mutating func webFormat(_ place: JSONPlace) -> AnswerFormat? {
        let source = decoder.shown("src", in: place)
        guard !source.isEmpty else { return nothing("no address: the app shows nothing there", at: "src", in: place) }
        unsupported(place, "a board without a screen cannot open a page or a file; its text is given instead")
        // The app opens an external page, and not a file, with the participant's id at the end.
        let isExternal = place.member("type")?.text == "external"
        return .media(
            MediaReference(kind: .web, source: source + (isExternal ? "?uuid=" : ""), path: place.path(to: "src")))
    }

    private mutating func unsupported(_ place: JSONPlace, _ message: String) {
        decoder.findings.unsupported(message, at: place.member("src") ?? place)
    }
}
