// SPDX-License-Identifier: Apache-2.0
import Base

/// A step's text in which a snippet (such as `this medicine`) is replaced by an earlier answer. `RunTexts`
/// fills it, `Vocabulary` and `CardSheet` take its parts.
///
/// It is said in parts: speech for the text around the answer is rendered at enrolment, and only an answer
/// that is free text is rendered when it is needed. The text stays as it is without an answer, and for an
/// answer that has no words (a recording, a position, a performance).
struct PipedText: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case own(String)
        case answer
    }
    private let whole: String
    private let parts: [Part]

    /// `text` with a gap wherever it has the snippet.
    init(_ text: String, snippet: String) {
        var parts: [Part] = []
        var own = ""
        var rest = Substring(text)
        while let next = rest.first {
            if !snippet.isEmpty, rest.hasPrefix(snippet) {
                parts += [.own(own), .answer]
                own = ""
                rest = rest.dropFirst(snippet.count)
            } else {
                own.append(next)
                rest = rest.dropFirst()
            }
        }
        self.parts = parts + [.own(own)]
        whole = Self.trimmed(text)
    }

    /// The pieces to be rendered at enrolment: the text around the gaps, and the whole text, which is said
    /// where there is no answer.
    var own: [String] {
        let around = parts.compactMap { if case .own(let text) = $0 { Self.trimmed(text) } else { nil } }
        return (around + [whole]).filter { !$0.isEmpty }
    }

    /// The text with the answer in its gaps (nil = the text as it is), and the parts in which it is said.
    func filled(with answer: Answer?) -> (text: String, parts: [Said]) {
        guard let answer else { return (whole, [.study(whole)]) }
        var text = ""
        var said: [Said] = []
        for part in parts {
            switch part {
            case .own(let own):
                text += own
                said.append(.study(Self.trimmed(own)))
            case .answer:
                text += answer.text
                said += answer.parts
            }
        }
        return (Self.trimmed(text), said.filter { $0 != .study("") })
    }

    private static func trimmed(_ text: String) -> String {
        let front = text.drop { $0 == " " }
        return String(front.reversed().drop { $0 == " " }.reversed())
    }

    /// An answer as it is read and said in a sentence.
    struct Answer: Sendable, Hashable {
        let text: String
        let parts: [Said]

        /// Nil for an answer that has no words.
        init?(_ answer: AnswerValue?, to format: AnswerFormat?, in words: Words) {
            switch (answer, format) {
            case (.boolean(let value), .yesNo(let yes, let no)): self.init([value ? yes : no])
            case (.boolean(let value), _):
                self.init([.device(value ? PipedPhrases.yes : PipedPhrases.no)], words)
            case (.choices(let values), .choice(let choice)):
                self.init(values.map { value in choice.options.first { $0.value == value }?.text ?? value })
            case (.choices(let values), _): self.init(values)
            case (.number(let number), _): self.init([.number(NumberText.text(number))], words)
            case (.dateTime(let moment), .dateTime(let kind, _)): self.init(moment, kind, words)
            case (.dateTime(let moment), _): self.init(moment, .dateTime, words)
            case (.text(let text), _): self.init([text])
            default: return nil
            }
        }

        /// Words of the study or the participant.
        init?(_ texts: [String]) {
            guard texts.contains(where: { !$0.isEmpty }) else { return nil }
            self.init(text: texts.joined(separator: ", "), parts: texts.map { .study($0) })
        }

        private init(_ parts: [Said], _ words: Words) {
            self.init(text: parts.map(words.text).joined(separator: ", "), parts: parts)
        }

        private init(_ moment: LocalDateTime, _ kind: DateTimeFormat, _ words: Words) {
            let (year, month, day) = moment.date.components
            let clock = DateTimeFormat.time.text(moment)
            let date = words(CalendarPhrases.date, "\(day)", words(CalendarPhrases.months[month - 1]), "\(year)")
            let dateParts: [Said] = [
                .device(CalendarPhrases.spokenDays[day - 1]), .device(CalendarPhrases.spokenMonths[month - 1]),
                .number("\(year)"),
            ]
            switch kind {
            case .date: self.init(text: date, parts: dateParts)
            case .time: self.init(text: clock, parts: [.number(clock)])
            case .dateTime: self.init(text: "\(date), \(clock)", parts: dateParts + [.number(clock)])
            }
        }

        private init(text: String, parts: [Said]) { (self.text, self.parts) = (text, parts) }

        /// Every part that an answer in that format can consist of, as far as the study tells beforehand.
        static func all(of format: AnswerFormat) -> [Said] {
            switch format {
            case .yesNo(let yes, let no): [.study(yes), .study(no)]
            case .choice(let choice): choice.options.map { .study($0.text) }
            case .dateTime(.time, _): []
            case .dateTime: (CalendarPhrases.spokenDays + CalendarPhrases.spokenMonths).map { .device($0) }
            default: []
            }
        }
    }
}

/// What an earlier answer is in a sentence, where the study has no words for it.
enum PipedPhrases {
    static let yes = Phrase("yes")
    static let no = Phrase("no")
    /// On the card sheet, in place of the answer.
    static let placeholder = Phrase("[your answer to card {0}]")
}
