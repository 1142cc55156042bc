// SPDX-License-Identifier: Apache-2.0
import Base

/// A picture on the sheet, a sound that is played, or an address, made by `AnswerFormat.kind`: how it is asked,
/// printed and scripted.
struct MediaKind: QuestionKind {
    let media: MediaReference

    func machine(in context: QuestionContext) -> any QuestionMachine {
        InstructionStep(media, plays: [.audio, .video].contains(media.kind) && context.panel.hasLoudspeaker)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        words(InstructionPhrases.howTo, panel.pressing(.select, in: words), panel.pressing(.next, in: words))
    }

    func presentation(on panel: Panel) -> String {
        switch media.kind {
        case .audio where !panel.hasLoudspeaker:
            "signals the card number; the sound is not played, because the board has no loudspeaker: its address is on the card"
        case .audio: panel.spokenPrefix + "signals the card number and plays the sound"
        case .video where panel.hasLoudspeaker:
            panel.spokenPrefix
                + "signals the card number and plays the video's sound; the address is on the card, to be opened on another device"
        case .image: panel.spokenPrefix + "signals the card number; the picture is on the card"
        case .photo:
            panel.spokenPrefix
                + "signals the card number, and says that the device has no camera; no photo is taken"
        default:
            panel.spokenPrefix
                + "signals the card number; the address is on the card, to be opened on another device"
        }
    }

    func spoken(on panel: Panel) -> [Said] {
        [.device(media.kind == .photo ? MediaPhrases.noCamera : MediaPhrases.unplayable)]
    }

    func card(_ context: CardContext) -> String {
        let (source, words) = (Markup.escaped(media.source), context.words)
        if media.kind == .photo { return "<p class=unit>\(words(MediaPhrases.noCamera))</p>" }
        guard media.kind == .image else {
            let kind = MediaPhrases.kinds[media.kind].map { words($0) } ?? media.kind.rawValue
            return "<p class=unit>\(kind): \(address(context))</p>"
        }
        if let picture = context.pictures[media.source], picture.hasPrefix("data:image/") {
            return "<img alt=\"\" src=\"\(Markup.escaped(picture))\">"
        }
        // On paper a missing picture is not noticed unless it is named.
        let isAddress = ["http://", "https://"].contains { media.source.lowercased().hasPrefix($0) }
        return (isAddress ? "<img alt=\"\" src=\"\(source)\">" : "")
            + "<p class=unit>\(words(MediaPhrases.notFetched)): \(source)</p>"
    }

    /// The address; schema's app opens an `external` page with the participant's id at the end of it.
    private func address(_ context: CardContext) -> String {
        guard media.kind == .web, media.source.hasSuffix("?uuid=") else { return Markup.escaped(media.source) }
        return Markup.escaped(media.source)
            + (context.participant.map(Markup.escaped)
                ?? "<i>\(context.words(MediaPhrases.yourID))</i> ____________")
    }

    // MARK: - A scripted participant

    func wanted(_ value: ScriptedValue, now: LocalDateTime) -> Wanted { .leaveOut }
    func first(now: LocalDateTime) -> Wanted { .leaveOut }
}

enum MediaPhrases {
    /// Said where a sound stays silent.
    static let unplayable = Phrase("This sound cannot be played")
    /// Said and printed where a photo was to be taken.
    static let noCamera = Phrase("This device has no camera: no photo is taken")
    /// Before the address of what is not on the sheet.
    static let kinds: [MediaReference.Kind: Phrase] = [
        .image: Phrase("image"), .audio: Phrase("audio"),
        .video: Phrase("video"), .web: Phrase("web"),
    ]
    static let notFetched = Phrase("picture (not downloaded)")
    static let yourID = Phrase("your participant id:")
}
