// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

extension TimedStepRules: ActiveTaskPlay {
    func step(in context: QuestionContext) -> any QuestionMachine { TimedStep(self, in: context) }

    func howTo(on panel: Panel, in words: Words) -> String {
        let seconds = "\(Int(duration.seconds.rounded()))"
        let begin = words(
            beginsByItself ? TimedStepPhrases.byItself : TimedStepPhrases.byPress, panel.say(.select, in: words),
            seconds)
        guard takesTaps, let (left, right) = panel.tapButtons else { return begin }
        let names = [left, right].map { panel.printedName(of: $0, in: words) }
        return begin + words(TimedStepPhrases.taps, names[0], names[1])
    }

    func spoken(on panel: Panel) -> [Said] {
        TimedStepPhrases.spoken.map { .device($0) } + lines.map { .study($0.text) }
            + (0..<max(0, min(countedSeconds, 60))).map { .number(String($0 + 1)) }
    }

    func refusal(on panel: Panel) -> String? {
        takesTaps && panel.tapButtons == nil
            ? "\(name) needs two buttons to tap in turn; use a board with at least two" : nil
    }
}

extension TimedStepRecord: PerformanceSummary {
    func summary(in words: Words) -> String {
        let seconds = "\(Int(measured.seconds.rounded()))"
        return taps.isEmpty
            ? words(TimedStepPhrases.lasted, seconds) : words(TimedStepPhrases.summary, seconds, "\(taps.count)")
    }
}

/// What a timed step says and prints.
enum TimedStepPhrases {
    static let tap = Phrase("tap", de: "tippen", es: "tocar")
    static let selectToBegin = Phrase(
        "Select to start", de: "Zum Starten auswählen", es: "Selecciona para comenzar")
    static let selectToGoOn = Phrase(
        "Time is up; select to continue", de: "Die Zeit ist um; zum Fortfahren auswählen",
        es: "Se acabó el tiempo; selecciona para continuar")
    static let goesOn = Phrase("Continuing", de: "Es geht weiter", es: "Continúa")
    /// Everything that is said of it besides the study's own texts.
    static let spoken = [selectToBegin, selectToGoOn, goesOn]

    static let byPress = Phrase(
        "{0} to start, it takes {1} s; the menu pauses it", de: "{0} startet, es dauert {1} s; das Menü hält es an",
        es: "{0} comienza y dura {1} s; el menú lo pausa")
    static let byItself = Phrase(
        "it starts by itself and takes {1} s; the menu pauses it",
        de: "es startet von selbst und dauert {1} s; das Menü hält es an",
        es: "comienza por sí solo y dura {1} s; el menú lo pausa")
    static let taps = Phrase(
        "; tap {0} and {1} in turn, as fast as possible", de: "; {0} und {1} so schnell wie möglich im Wechsel drücken",
        es: "; pulsa {0} y {1} por turnos lo más rápido posible")
    static let lasted = Phrase("{0} s", de: "{0} s", es: "{0} s")
    static let summary = Phrase("{0} s, {1} taps", de: "{0} s, {1}-mal gedrückt", es: "{0} s, {1} pulsaciones")
}
