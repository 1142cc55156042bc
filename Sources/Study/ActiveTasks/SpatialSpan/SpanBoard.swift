// SPDX-License-Identifier: Apache-2.0

/// How a panel plays a span test: which buttons are the targets, which signal each has, and how long a
/// sequence can be. `SpatialSpanStep` plays by it; `refusal` says why a panel cannot.
///
/// A target must be recognised either by its place, a light at each button, or by two senses;
/// otherwise the panel cannot carry it. Without separate lights there are at most four targets,
/// given by one to four pulses of light, sound or shaking. With separate lights there may be more,
/// and the sound then gives the row by its pitch and the column by its pulses.
///
/// A sequence of n is shown in the smallest square of 2n targets or more, of two by two at least
/// (`SpatialSpan.side`).
///
/// Four pitches, four pulses: with up to three tones listeners never confused them, with four
/// rarely, with five often (Pollack 1952, in Miller 1956, The magical number seven, Psychological
/// Review 63); pulses in time are counted right up to four. Pulses of light run into one another
/// below 150 ms from one to the next, those of sound or shaking below 90 ms (Jurado and others
/// 2021, Timing & Time Perception); both limits are kept with a third to spare.
struct SpanBoard: Sendable {
    /// What the participant sees, hears and feels of a target.
    struct Senses: Sendable {
        var byPlace = false
        var byLight = false
        var bySound = false
        var byTouch = false

        /// A light at each button, or two senses.
        var areEnough: Bool { byPlace || [byLight, bySound, byTouch].count { $0 } > 1 }
    }

    /// The pitches of the rows, in hertz: eleven semitones apart, which is no octave.
    private static let pitches = [349, 659, 1_245, 2_349]
    /// More pulses than these cannot be counted at a glance.
    private static let mostPulses = 4
    /// From the beginning of a pulse to that of the next: the longest.
    private static let slowest: Duration = .milliseconds(300)
    /// The shortest of light.
    private static let fastestLight: Duration = .milliseconds(200)
    /// The shortest of sound and shaking.
    private static let fastestSound: Duration = .milliseconds(120)

    /// The rules as they are played on this panel, no span above what it can carry.
    let rules: SpatialSpanRules
    /// The longest sequence that the panel can carry; nil = not even two.
    let longest: Int?
    /// What tells the targets of the longest sequence.
    let senses: Senses
    /// The rules as the study has them.
    private let asked: SpatialSpanRules
    private let panel: Panel
    /// The buttons that can be targets, row by row, as indices into `Panel.buttons`.
    private let buttons: [Int]
    private let columns: Int

    init(_ rules: SpatialSpanRules, on panel: Panel) {
        self.panel = panel
        asked = rules
        buttons = panel.targets
        let count = buttons.count
        // Where the board has no `columns`, those of the largest square that its buttons make.
        columns = panel.columns ?? (1...4).last { $0 * $0 <= count } ?? 1
        let square = min(columns, count / columns)
        let wanted = min(SpatialSpan.longestSpan(buttons: square * square), rules.maximumSpan)
        var best: (span: Int, senses: Senses)?
        if count > 2 {
            for span in stride(from: max(wanted, 2), through: 2, by: -1) where best == nil {
                let senses = Self.senses(Self.places(span: span, buttons, columns), rules.period, panel)
                if senses.areEnough { best = (span, senses) }
            }
        }
        longest = best?.span
        senses = best?.senses ?? Self.senses(Self.places(span: 2, buttons, columns), rules.period, panel)
        self.rules = rules.capped(at: best?.span ?? 2)
    }

    /// Where a sequence of that length is shown: the buttons of the upper left square, row by row.
    /// Where that square does not fit, the first four buttons, or all of fewer.
    func targets(span: Int) -> [Int] { Self.places(span: span, buttons, columns).map(\.button) }

    /// The buttons of all targets that a sequence of this test can have.
    var all: [Int] { targets(span: rules.maximumSpan) }

    /// What tells the target at that button; the same in the practice and in every game.
    func sign(of button: Int) -> TargetSign {
        let places = Self.places(span: rules.maximumSpan, buttons, columns)
        // Any other button: as the target at the upper left.
        let place = places.first { $0.button == button } ?? Place(button: button, row: 0, column: 0)
        let most = Self.pulses(places)
        let isCounted = senses.byLight || senses.bySound || senses.byTouch
        return TargetSign(
            pulses: isCounted ? place.pulses(among: places.count) : 1, cycle: Self.cycle(most, rules.period),
            pitch: isPitched ? Self.pitches[place.level(among: places.count) % Self.pitches.count] : nil,
            // Half the period.
            ownLight: senses.byPlace ? .milliseconds(Int((rules.period.seconds * 500).rounded())) : nil)
    }

    /// Why this test cannot be played here, with the remedy; nil where it can.
    var refusal: String? {
        guard buttons.count > 2 else {
            return "a span test needs at least three buttons, because a sequence must be shorter than there are "
                + "buttons, and the board has \(buttons.count); add buttons"
        }
        guard let longest else { return tooFewSenses }
        guard longest < asked.initialSpan, !panel.capsSpans else { return nil }
        let side = SpatialSpan.side(span: asked.initialSpan)
        let enough =
            side > 4 ? "" : "use a board with \(side * side) buttons and a light at each (boards/keypad.toml), or "
        return "the study begins with sequences of \(asked.initialSpan) and goes down to \(asked.minimumSpan), "
            + "and this board can show \(longest) at most (\(buttons.count) buttons"
            + "\(hasLights ? "" : ", not all with a light")); \(enough)allow shorter sequences "
            + "(cap_span = true in [panel] of the board file), which the results then say"
    }

    /// What is shorter here than the study asks, in words; empty where nothing is.
    func cap(in words: Words = .english) -> String {
        guard let longest, longest < asked.maximumSpan else { return "" }
        let most = words(SpatialSpanPhrases.cap, "\(longest)", "\(asked.maximumSpan)")
        guard longest < asked.initialSpan else { return most }
        return most + words(SpatialSpanPhrases.cappedStart, "\(rules.initialSpan)", "\(asked.initialSpan)")
            + (longest < asked.minimumSpan
                ? words(SpatialSpanPhrases.cappedMinimum, "\(rules.minimumSpan)", "\(asked.minimumSpan)") : "")
    }

    /// How a target is signalled, in words.
    func signalText(in words: Words = .english) -> String {
        typealias Phrases = SpatialSpanPhrases
        let heard = [(senses.bySound, Phrases.sound), (senses.byTouch, Phrases.shaking)].filter(\.0).map { words($0.1) }
        if senses.byPlace {
            guard !heard.isEmpty else { return words(Phrases.lightAlone) }
            let besides = isPitched && all.count > Self.mostPulses ? Phrases.lightAndPitch : Phrases.lightAndPulses
            return words(besides, list(heard, words))
        }
        let all = (senses.byLight ? [words(Phrases.light)] : []) + heard
        return words(Phrases.pulses, "\(self.all.count)", list(all, words))
    }

    private func list(_ items: [String], _ words: Words) -> String {
        items.reduce("") { $0.isEmpty ? $1 : words(SpatialSpanPhrases.and, $0, $1) }
    }
}

extension SpanBoard {
    private struct Place: Sendable {
        let button: Int
        let row: Int
        let column: Int

        /// Up to four targets have 1 to 4 pulses; among more, the pulses give the column.
        func pulses(among count: Int) -> Int { count <= SpanBoard.mostPulses ? row * 2 + column + 1 : column + 1 }
        /// The index in `pitches`: up to four targets have a pitch each; among more, the pitch gives the row.
        func level(among count: Int) -> Int { count <= SpanBoard.mostPulses ? row * 2 + column : row }
    }

    private static func places(span: Int, _ buttons: [Int], _ columns: Int) -> [Place] {
        let side = SpatialSpan.side(span: span)
        guard columns >= side, buttons.count >= columns * (side - 1) + side else {
            // No square of that side fits, as in a row of five or with three buttons.
            return buttons.prefix(4).enumerated().map { Place(button: $1, row: $0 / 2, column: $0 % 2) }
        }
        return (0..<side).flatMap { row in
            (0..<side).map { Place(button: buttons[row * columns + $0], row: row, column: $0) }
        }
    }

    /// The most pulses that any of these targets has.
    private static func pulses(_ places: [Place]) -> Int { places.map { $0.pulses(among: places.count) }.max() ?? 1 }

    /// The time from one pulse to the next, as slow as the period allows: the last pulse of a target lasts half
    /// a cycle, and one and a half lie before the next target. An even number of milliseconds, so that half of
    /// it is whole; 1e-6 makes up for the rounding of a Double.
    private static func cycle(_ pulses: Int, _ period: Duration) -> Duration {
        .milliseconds(Int((min(period / (pulses + 1), slowest).seconds * 500 + 1e-6).rounded(.down)) * 2)
    }

    /// What tells these targets apart; light, sound and shaking only where their pulses are slow enough.
    private static func senses(_ places: [Place], _ period: Duration, _ panel: Panel) -> Senses {
        let cycle = cycle(pulses(places), period)
        let isFew = places.count <= mostPulses
        let isPitched = panel.buzzer == .pitched || panel.hasLoudspeaker
        let rows = (places.map(\.row).max() ?? 0) + 1
        return Senses(
            byPlace: places.allSatisfy { place in panel.leds.contains { $0.button == place.button } },
            byLight: !panel.leds.isEmpty && isFew && cycle >= fastestLight,
            bySound: panel.hasSound && (isFew || isPitched && rows <= pitches.count) && cycle >= fastestSound,
            byTouch: panel.hasVibration && isFew && cycle >= fastestSound)
    }

    private var isPitched: Bool { panel.buzzer == .pitched || panel.hasLoudspeaker }
    private var hasLights: Bool { buttons.allSatisfy { button in panel.leds.contains { $0.button == button } } }

    /// Why targets can be told neither by place nor by two senses.
    private var tooFewSenses: String {
        let count = min(buttons.count, Self.mostPulses)
        let needed = Self.fastestLight * (count + 1)
        if asked.period < needed, panel.hasSound || panel.hasVibration, !panel.leds.isEmpty {
            return "its targets come every \(asked.period.seconds) s, and \(count) of them cannot be signalled by "
                + "pulses of one light in less than \(needed.seconds) s; add a light at each button, "
                + "or ask for a slower play speed"
        }
        return "its targets can be told apart by one sense only, which excludes people without it; "
            + "add a light at each button, or a light and a sound"
    }
}
