// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What became of a folder: `FolderTakeover` and `TakeoverFinish` make it and write its `text` to `RESULT.txt`,
/// `TakeoverPanel` signals it.
package enum TakeoverOutcome: Sendable, Hashable {
    /// Nothing was changed; at least one mistake.
    case refused([TakeoverMistake])
    case taken(participant: String, study: String, remarks: [TakeoverMistake])
    /// Everything is on the device; it enrols once its study's server answers.
    case waiting(participant: String, server: String, remarks: [TakeoverMistake])

    /// The mistakes or remarks; the number of the first one is signalled.
    private var mistakes: [TakeoverMistake] {
        switch self {
        case .refused(let mistakes): mistakes
        case .taken(_, _, let remarks), .waiting(_, _, let remarks): remarks
        }
    }

    /// Begins every signal of a takeover; no signal of a task begins like this. In a `Rhythm` `'` is a blip, `.`
    /// short, `-` long and `=` extra long.
    private static let opening: Rhythm = "=''"

    /// The opening, the outcome, the number of the first mistake; outcomes differ without colour and pitch.
    package var rhythm: Rhythm {
        let outcome: Rhythm =
            switch self {
            case .refused: ""
            case .taken: "'.-"
            case .waiting: "-'-"
            }
        return Self.opening + outcome + (mistakes.first.map { .number($0.kind.rawValue) } ?? "")
    }

    /// The rhythm as a panel's steps, after a rest: light, sound and shaking together.
    package var steps: [SignalStep] {
        [SignalStep(duration: Self.rest)]
            + rhythm.steps { beat, _ in
                SignalStep(light: colour, sounds: true, pitch: 880, vibrates: true, duration: beat.duration)
            }
    }

    /// The pause before each repetition of the signal.
    static let rest = Duration.seconds(3)

    private var colour: SignalColour {
        switch self {
        case .refused: .red
        case .taken: .green
        case .waiting: .blue
        }
    }

    /// The text of `RESULT.txt`, with Windows line ends: in the language of `words`, then in English, which
    /// alone has the exact causes. It names no secret.
    ///
    /// `date` is what the device's clock shows, which may be wrong.
    package func text(date: String, words: Words = .english) -> String {
        var lines = lines(date, words)
        if words.language != .english {
            lines += ["", String(repeating: "-", count: 60), ""] + self.lines(date, .english)
        }
        return (lines + ["studyd \(AgentVersion.text)"])
            .flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }.joined(separator: "\r\n") + "\r\n"
    }

    private func lines(_ date: String, _ words: Words) -> [String] {
        [headline(words), ""] + body(words) + ["", words(TakeoverPhrases.date, date)]
    }

    private func headline(_ words: Words) -> String {
        switch self {
        case .refused(let mistakes): words(TakeoverPhrases.refused, mistakes.count)
        case .taken: words(TakeoverPhrases.taken)
        case .waiting: words(TakeoverPhrases.waiting)
        }
    }

    private func body(_ words: Words) -> [String] {
        switch self {
        case .refused(let mistakes): mistakes.flatMap { $0.paragraph(words) }
        case .taken(let participant, let study, let remarks):
            [words(TakeoverPhrases.participant, participant.shown), words(TakeoverPhrases.study, study.shown)]
                + Self.list(remarks, words)
        case .waiting(let participant, let server, let remarks):
            [
                words(
                    TakeoverPhrases.participant,
                    participant.isEmpty ? words(TakeoverPhrases.named) : participant.shown),
                words(TakeoverPhrases.server, server.shown),
            ] + Self.list(remarks, words)
        }
    }

    private static func list(_ remarks: [TakeoverMistake], _ words: Words) -> [String] {
        remarks.isEmpty ? [] : ["", words(TakeoverPhrases.note)] + remarks.flatMap { $0.paragraph(words) }
    }
}

extension TakeoverMistake {
    /// In English with the exact cause and remedy; in other languages with the general text of its kind.
    fileprivate func paragraph(_ words: Words) -> [String] {
        // A number is signalled as a long for each ten and a short for each one.
        let (longs, shorts) = kind.rawValue.quotientAndRemainder(dividingBy: 10)
        let isEnglish = words.language == .english
        let rows: [(Phrase, String?)] = [
            (TakeoverPhrases.what, isEnglish ? explanation.cause : words(kind.meaning)),
            (TakeoverPhrases.place, explanation.place),
            (TakeoverPhrases.remedy, isEnglish ? explanation.remedy : words(kind.remedy)),
            (
                TakeoverPhrases.signal,
                words(TakeoverPhrases.number, String(longs), String(shorts), String(kind.rawValue))
            ),
        ]
        let width = rows.map { words($0.0).count }.max() ?? 0
        return rows.compactMap { label, text in text.map { words(label).padded(to: width + 1) + $0 } } + [""]
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
