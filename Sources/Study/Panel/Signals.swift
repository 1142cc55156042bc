// SPDX-License-Identifier: Apache-2.0

/// The signals of one panel: what a cue looks, sounds and feels like there. `PanelSession` and `TaskRun` make a
/// `SignalPlan` of their cues by it.
///
/// Every cue has a distinct rhythm, so that it can be recognised without colour, pitch or one of
/// the senses. A bare number is an option, a letter's place or a place on a scale; every other
/// number begins with beats that no bare number begins with. `SignalsTests` keeps them apart, except for a game's
/// targets and lights (`.target`, `.stimulus`) and a counted kick (`.counted`).
package struct Signals: Sendable {
    private let panel: Panel
    private let words: Words

    /// The signals of that panel, spoken in these words; nil = in the panel's own language.
    package init(_ panel: Panel, words: Words? = nil) {
        self.panel = panel
        self.words = words ?? Words(for: panel.language)
    }

    /// One cue after the other, as one signal; the first is the one it is known by.
    package func plan(_ cues: [Cue]) -> SignalPlan? {
        guard let first = cues.first else { return nil }
        let plans = cues.map(plan)
        let steps = plans.map(\.steps).filter { !$0.isEmpty }.joined(separator: [SignalStep(duration: Rhythm.pause)])
        return SignalPlan(
            cue: first, and: Array(cues.dropFirst()), steps: Array(steps), speech: plans.flatMap(\.speech))
    }

    package func plan(_ cue: Cue) -> SignalPlan {
        if case .target(let button, let sign) = cue { return target(cue, button, sign) }
        if case .stimulus(let mark, let lasting, let sign) = cue {
            let steps = sign.steps(mark, lasting: lasting, hasColours: panel.hasColours)
            return SignalPlan(cue: cue, steps: steps, speech: [])
        }
        let speech = panel.hasLoudspeaker ? cue.speech(in: words) : []
        let isQuiet = !speech.isEmpty && cue.isNumber
        let plan = SignalPlan(cue: cue, steps: steps(cue.rhythm, cue, isQuiet: isQuiet), speech: speech)
        return cue.isSilent && !panel.leds.isEmpty ? plan.lightOnly : plan
    }

    /// A target is its own light, or pulses of all the others, and pulses of sound and shaking.
    private func target(_ cue: Cue, _ button: Int, _ sign: TargetSign) -> SignalPlan {
        let light = light(of: cue)
        let steps = sign.steps { isLit, sounds, duration in
            SignalStep(
                light: isLit ? light : nil, button: isLit && sign.ownLight != nil ? button : nil,
                sounds: sounds && panel.hasSound, pitch: sounds && panel.hasSound ? sign.pitch : nil,
                vibrates: sounds && panel.hasVibration, duration: duration)
        }
        return SignalPlan(cue: cue, steps: steps, speech: [])
    }

    private func light(of cue: Cue) -> SignalColour? {
        panel.leds.isEmpty ? nil : panel.hasColours ? cue.colour : .white
    }

    private func steps(_ rhythm: Rhythm, _ cue: Cue, isQuiet: Bool) -> [SignalStep] {
        let count = rhythm.groups.reduce(0) { $0 + $1.count }
        return rhythm.steps { beat, index in
            on(beat, cue, isQuiet: isQuiet, pitch: cue.melody.pitch(beat, index, of: count))
        }
    }

    /// The step of the signal while a beat is on; quiet = without sound, because the number is spoken.
    private func on(_ beat: Beat, _ cue: Cue, isQuiet: Bool, pitch: Int) -> SignalStep {
        let sounds = panel.hasSound && !isQuiet
        let isTuned = panel.buzzer != .fixed || panel.hasLoudspeaker
        return SignalStep(
            light: light(of: cue), sounds: sounds, pitch: sounds && isTuned ? pitch : nil, vibrates: panel.hasVibration,
            duration: beat.duration)
    }
}

/// How the pitch moves over a signal; with `counted` each kind of beat has its own pitch, so that numbers can
/// be counted by ear.
enum Melody {
    case rising, falling, low, counted

    /// In hertz, for the beat at `index`.
    func pitch(_ beat: Beat, _ index: Int, of count: Int) -> Int {
        // C5, D5, E5, G5, A5 and C6; the pitches below are C4, E6, A5, A4 and E4.
        let scale = [523, 587, 659, 784, 880, 1_047]
        switch self {
        case .rising: return scale[min(index, scale.count - 1)]
        case .falling: return scale[max(min(count, scale.count) - 1 - index, 0)]
        case .low: return 262
        case .counted:
            return switch beat {
            case .blip: 1_319
            case .short: 880
            case .long: 440
            case .extra: 330
            }
        }
    }
}

extension Cue {
    /// What it sounds, blinks and shakes like, without colour and pitch, in the notation of `Rhythm`: `'` blip,
    /// `.` short, `-` long, `=` extra long.
    package var rhythm: Rhythm {
        switch self {
        case .alive: "'"
        case .recording: "' '"
        case .paused: "' ' '"
        case .pauseBegins: ". '-"
        case .pauseEnds: "-' '."
        case .marked: "'' ."
        case .condition(let condition): condition.rhythm
        case .prompt: "-.-."
        case .card(let number, _, _): ".-" + Rhythm.number(number)
        case .option(let number, _, let isTicked): Rhythm.number(number) + (isTicked == true ? "''" : "")
        case .leaveOut: "'-"
        case .done: "'-."
        case .position(let text): Rhythm.value(text)
        case .letter(let number, _): Rhythm.number(number)
        case .spelled(let numbers, _): numbers.reduce(".=") { $0 + Rhythm.number($1) }
        case .clear: "'.'"
        case .value(let text): ".=" + Rhythm.value(text)
        case .accepted: "'."
        case .answer(let isYes, _): "'." + Rhythm.number(isYes ? 1 : 2)
        case .confirm: "-.-"
        case .undone: ".'"
        case .required: "-..-"
        case .refused: "'''''''"
        case .timeRunningOut: ".'.'.'"
        case .expired: "='"
        case .reminder: ".-.-"
        case .listItem(let number, _): "..-" + Rhythm.number(number)
        case .menuItem(let number, _): "...-" + Rhythm.number(number)
        case .nothingOpen: "-'"
        case .promptsOff: "=-'"
        case .promptsOn: "'-="
        case .putOff: "-'-"
        case .leaveStudy(let stage):
            Rhythm(groups: [Array(repeating: [.extra, .short], count: stage + 1).flatMap(\.self)])
        case .news: "-'-'"
        case .saved: "'.-"
        case .delivered: "'.-="
        case .removable: "--. '"
        case .fault: "''="
        case .runLeft: "-.'"
        case .leaveRun: "-.'-"
        case .undoable: "'.'."
        case .recordingStarted: "'=."
        case .recordingStopped: ".='"
        case .target(_, let sign): Rhythm(groups: [Array(repeating: .blip, count: sign.pulses)])
        case .watch: ".''"
        case .yourTurn: "''.."
        case .counted: "''"
        case .stimulus: "="
        case .dark: ""
        case .reacted: ".'."
        case .tooEarly: "''."
        case .tooLate: "''.'"
        case .towers(let towers):
            towers.reduce("'.-'") { $0 + ($1.last.map(Rhythm.number) ?? Rhythm.number(0)) }
        case .tower(_, let disks): (disks.isEmpty ? [0] : disks).reduce("'..-") { $0 + Rhythm.number($1) }
        case .won: "'..."
        case .lost: "''-"
        case .held(let level, _): Rhythm(groups: [Array(repeating: .blip, count: level + 1)])
        case .message, .say, .button: ""
        }
    }

    /// Shown by an RGB LED.
    package var colour: SignalColour {
        switch self {
        case .prompt, .card, .reminder, .news: .blue
        case .option, .position, .value, .letter, .spelled, .done, .clear, .listItem, .menuItem, .leaveOut, .target,
            .counted, .towers, .tower, .watch:
            .yellow
        case .accepted, .answer, .saved, .delivered, .removable, .promptsOn, .recording, .pauseEnds, .marked, .won,
            .yourTurn, .reacted:
            .green
        case .condition(let condition): condition.isQuiet ? .yellow : .red
        case .required, .refused, .timeRunningOut, .expired, .fault, .runLeft, .leaveRun, .leaveStudy,
            .lost, .tooEarly, .tooLate:
            .red
        case .confirm, .undone, .putOff, .promptsOff, .nothingOpen, .recordingStarted, .recordingStopped, .undoable,
            .paused, .pauseBegins:
            .violet
        case .alive, .held, .message, .say, .button, .stimulus, .dark: .white
        }
    }

    /// Given by light alone, where there is one, because it comes unasked and often. Signs of life are not
    /// in here, since a participant may ask for them; when they come unasked, the panel uses their
    /// `SignalPlan.lightOnly`.
    package var isSilent: Bool { self == .delivered }

    /// Said instead of sounded where there is a loudspeaker.
    var isNumber: Bool {
        switch self {
        case .card, .answer, .option, .position, .value, .letter, .spelled, .listItem, .menuItem, .towers, .tower: true
        default: false
        }
    }

    var melody: Melody {
        switch self {
        case .prompt, .accepted, .saved, .removable, .promptsOn, .pauseEnds, .marked, .recordingStarted, .held,
            .confirm, .won, .yourTurn, .reacted:
            .rising
        case .undone, .expired, .promptsOff, .pauseBegins, .runLeft, .recordingStopped, .leaveOut, .nothingOpen:
            .falling
        case .required, .refused, .fault, .condition, .timeRunningOut, .leaveRun, .leaveStudy, .lost, .tooEarly,
            .tooLate:
            .low
        default: .counted
        }
    }
}
