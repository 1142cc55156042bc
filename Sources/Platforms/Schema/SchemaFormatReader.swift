// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads how questions are answered, for `SchemaQuestionReader`, and lists the media to be fetched for them.
struct SchemaFormatReader {
    /// The study's `cache`; here media are fetched at enrolment in any case.
    let cachesMedia: Bool
    /// A photograph that is required is left out, instead of refusing the study.
    let leavesOutPhotos: Bool
    /// Sounds and videos of the questions so far.
    private(set) var media: [MediaReference] = []

    /// nil where the question cannot be asked, which has been noted.
    mutating func format(of place: JSONPlace, _ findings: inout Findings) -> AnswerFormat? {
        let type = findings.shown("type", in: place)
        switch type {
        case "instruction": return .instruction
        case "text": return textFormat(place, &findings)
        case "datetime": return dateTimeFormat(place, &findings)
        case "yesno": return yesNoFormat(place, &findings)
        case "slider": return sliderFormat(place, &findings)
        case "multi": return choiceFormat(place, &findings)
        case "media": return mediaFormat(place, subtype: findings.shown("subtype", in: place), &findings)
        case "video", "audio", "image":
            // The README's names; the app shows nothing for them.
            if let typePlace = place.member("type") {
                findings.assume(
                    "\"\(type)\" of the README is read as a media question of that subtype", at: typePlace)
            }
            return mediaFormat(place, subtype: type, &findings)
        case "external", "file": return webFormat(place, &findings)
        case "photo": return photoFormat(place, &findings)
        default:
            return nothing(
                "\(type.isEmpty ? "no type" : "\"\(type)\" is a type unknown to the app"): it shows nothing to answer there",
                at: "type", in: place, &findings)
        }
    }

    /// For a question that the app shows without anything to answer: only its text is given.
    private func nothing(
        _ message: String, at key: String, in place: JSONPlace, _ findings: inout Findings
    ) -> AnswerFormat {
        findings.warn(message + "; its text is given", for: key, in: place)
        return .instruction
    }

    private func textFormat(_ place: JSONPlace, _ findings: inout Findings) -> AnswerFormat? {
        switch subtype(place, of: ["short", "long", "numeric"], &findings) {
        case "long": .text(multiline: true)
        case "numeric": numberFormat(place, &findings)
        case .some: .text(multiline: false)
        case nil: nothing("the app shows nothing to answer for that subtype", at: "subtype", in: place, &findings)
        }
    }

    /// The app takes any number, unless momenTUM's designer of 2025 gave it limits; two digits
    /// after the point are what a board's panel offers.
    private func numberFormat(_ place: JSONPlace, _ findings: inout Findings) -> AnswerFormat? {
        let limits = ["min_value", "max_value"].map { key in
            place.member(key) == nil ? nil : findings.number(key, in: place)
        }
        if let minimum = limits[0], let maximum = limits[1], minimum >= maximum {
            findings.expected("max_value above min_value", at: place.member("max_value") ?? place)
        }
        return .number(NumberFormat(minimum: limits[0], maximum: limits[1], maximumFractionDigits: 2))
    }

    private func dateTimeFormat(_ place: JSONPlace, _ findings: inout Findings) -> AnswerFormat? {
        switch subtype(place, of: ["datetime", "date", "time"], &findings) {
        case "date": .dateTime(.date)
        case "time": .dateTime(.time)
        case .some: .dateTime(.dateTime)
        case nil: nothing("the app shows nothing to answer for that subtype", at: "subtype", in: place, &findings)
        }
    }

    /// The subtype, or the first of `known` where the file gives none.
    private func subtype(_ place: JSONPlace, of known: [String], _ findings: inout Findings) -> String? {
        guard let child = place.member("subtype") else {
            findings.assume("no subtype; \"\(known[0])\" is assumed", for: "subtype", in: place)
            return known[0]
        }
        return child.text.flatMap { known.contains($0) ? $0 : nil }
    }

    private func yesNoFormat(_ place: JSONPlace, _ findings: inout Findings) -> AnswerFormat? {
        let texts = ["yes_text", "no_text"].map { key in
            let text = findings.shown(key, in: place)
            if text.isEmpty {
                findings.warn("an answer without words, which is sent as \"\"", for: key, in: place)
            }
            return text
        }
        return .yesNo(yes: texts[0], no: texts[1])
    }

    private func sliderFormat(_ place: JSONPlace, _ findings: inout Findings) -> AnswerFormat? {
        let minimum = findings.number("min", in: place)
        let maximum = findings.number("max", in: place)
        let left = findings.plain("hint_left", in: place)
        let right = findings.plain("hint_right", in: place)
        guard let minimum, let maximum else { return nil }
        guard minimum < maximum else {
            findings.expected(
                "min below max", at: place.member("min") ?? place,
                found: "min \(JSONText.spelling(of: minimum)) and max \(JSONText.spelling(of: maximum))")
            return nil
        }
        return .slider(
            SliderFormat(minimum: minimum, maximum: maximum, step: 1, minimumLabel: left, maximumLabel: right))
    }

    private func choiceFormat(_ place: JSONPlace, _ findings: inout Findings) -> AnswerFormat? {
        let options = findings.array("options", of: "texts", in: place).map { findings.shown($0) ?? "" }
        if options.isEmpty, place.member("options")?.elements != nil {
            return nothing("no options: the app shows nothing to answer there", at: "options", in: place, &findings)
        }
        return .choice(
            ChoiceFormat(
                options: options.map { .init(value: $0, text: PlainText(html: $0).text) },
                isMultiple: !findings.flag("radio", in: place), isShuffled: findings.flag("shuffle", in: place),
                isModal: findings.flag("modal", in: place)))
    }

    private mutating func mediaFormat(
        _ place: JSONPlace, subtype: String, _ findings: inout Findings
    ) -> AnswerFormat? {
        let source = findings.shown("src", in: place)
        guard let src = place.member("src"), !source.isEmpty else {
            return nothing("no address: the app shows nothing there", at: "src", in: place, &findings)
        }
        guard let kind = MediaReference.Kind(rawValue: subtype), [.image, .audio, .video].contains(kind) else {
            return nothing("the app shows image, audio and video only", at: "subtype", in: place, &findings)
        }
        let reference = MediaReference(kind: kind, source: source, path: src.path)
        guard kind != .image else {
            findings.unsupported("a board without a screen cannot show the image; its text is given instead", at: src)
            return .media(reference)
        }
        if kind == .video {
            findings.unsupported(
                "a board without a screen cannot show the video: its text is given, and its sound is played where there is a loudspeaker",
                at: src)
        }
        if !cachesMedia {
            findings.assume(
                "fetched at enrolment although `cache` is not true: the device may be offline when it is due", at: src)
        }
        media.append(reference)
        return .media(reference)
    }

    private func webFormat(_ place: JSONPlace, _ findings: inout Findings) -> AnswerFormat? {
        let source = findings.shown("src", in: place)
        guard let src = place.member("src"), !source.isEmpty else {
            return nothing("no address: the app shows nothing there", at: "src", in: place, &findings)
        }
        findings.unsupported(
            "a board without a screen cannot open a page or a file; its text is given instead", at: src)
        // The app opens an external page, and not a file, with the participant's id at the end.
        let isExternal = place.member("type")?.text == "external"
        return .media(MediaReference(kind: .web, source: source + (isExternal ? "?uuid=" : ""), path: src.path))
    }

    /// There is no camera: the question is kept, and panel, card and data say so.
    private func photoFormat(_ place: JSONPlace, _ findings: inout Findings) -> AnswerFormat? {
        let type = place.member("type") ?? place
        if leavesOutPhotos || place.member("required")?.isTrue != true {
            findings.unsupported(
                "a photograph cannot be taken without a camera: the text is given, and \"\(SchemaAnswer.noCamera)\" is sent"
                    + (leavesOutPhotos ? ", as --\(SchemaOptions.withoutPhotos.name) says" : ""), at: type)
            return .media(MediaReference(kind: .photo, source: "", path: place.path))
        }
        findings.expected(
            "a question that a board without a camera can ask", at: type,
            found:
                "a photograph that is required; make it optional, ask in another way, or leave photographs out with --\(SchemaOptions.withoutPhotos.name)"
        )
        return nil
    }
}
