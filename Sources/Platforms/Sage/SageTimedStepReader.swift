// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads a step that lasts, for `SageTaskReader`: an active step, a countdown, tapping, or a step that measures motion.
struct SageTimedStepReader {
    let place: JSONPlace
    private(set) var findings: Findings

    /// `name` is `active`, `countdown`, `tapping` or `motion`. Nil after a problem, which has been noted.
    mutating func read(named name: String, hand: String?, isAssessmentModel: Bool) -> TimedStepRules? {
        let isCountdown = name == "countdown"
        let seconds = place.member("duration").map { findings.writtenNumber(at: $0) ?? 0 } ?? (isCountdown ? 5 : 0)
        guard seconds >= 0, seconds <= Double(TimedStepRules.longest.components.seconds) else {
            findings.expected(
                "a duration from 0 to \(TimedStepRules.longest.components.seconds) seconds",
                at: place.member("duration") ?? place)
            return nil
        }
        let commands = commands()
        let duration = Duration.milliseconds(Int64((seconds * 1_000).rounded()))
        var rules = TimedStepRules(name: name, duration: duration)
        rules.beginsByItself = commands.contains(.startTimer) || isCountdown
        rules.goesOnByItself = commands.contains(.continueOnFinish) || isCountdown
        rules.signalsStart = commands.contains(.signalStart)
        rules.signalsEnd = commands.contains(.signalEnd)
        rules.warnsOnPause = commands.contains(.warnOnPause)
        rules.takesTaps = name == "tapping"
        if name == "motion" {
            // `MotionSensorStepView` begins when the step appears, vibrates at both ends, and begins again after a
            // pause.
            (rules.beginsByItself, rules.signalsStart, rules.signalsEnd) = (true, true, true)
            rules.restartsAfterPause = true
        }
        if name == "motion" || name == "tapping" && isAssessmentModel { rules.goesOnByItself = true }
        if isCountdown { rules.countedSeconds = Int(seconds.rounded(.down)) }
        readSpokenInstructions(into: &rules, hand: hand)
        return rules
    }

    private enum Command { case signalStart, signalEnd, startTimer, continueOnFinish, warnOnPause }

    /// `ActiveStepCommand` of AssessmentModel, and `RSDActiveUIStepCommand` of SageResearch: a sound and a vibration
    /// are one signal here.
    private static let meanings: [String: Set<Command>] = [
        "playSoundOnStart": [.signalStart], "playSoundOnFinish": [.signalEnd], "playSound": [.signalStart, .signalEnd],
        "vibrateOnStart": [.signalStart], "vibrateOnFinish": [.signalEnd], "vibrate": [.signalStart, .signalEnd],
        "startTimerAutomatically": [.startTimer], "continueOnFinish": [.continueOnFinish],
        "transitionAutomatically": [.startTimer, .continueOnFinish], "shouldDisableIdleTimer": [],
        "speakWarningOnPause": [.warnOnPause],
    ]

    private mutating func commands() -> Set<Command> {
        findings.texts("commands", in: place).reduce(into: []) { commands, command in
            if let named = Self.meanings[command.text] { return commands.formUnion(named) }
            findings.expected("one of \(Self.meanings.keys.sorted().joined(separator: ", "))", at: command.place)
        }
    }

    /// The texts that are spoken during the step go into `rules.lines`, in order of time.
    private mutating func readSpokenInstructions(into rules: inout TimedStepRules, hand: String?) {
        guard let spoken = place.member("spokenInstructions") else { return }
        guard case .object(let members) = spoken.node.content else {
            findings.expected("an object of texts by their seconds", at: spoken)
            return
        }
        var lines: [TimedStepRules.Line] = []
        for member in members {
            guard let value = spoken.member(member.key) else { continue }
            guard let text = value.shown else {
                findings.expected("a text", at: value)
                continue
            }
            if member.key == "countdown" {
                if let seconds = countedSeconds(text, at: value) { rules.countedSeconds = seconds }
            } else if let moment = moment(member.key, at: value, within: rules.duration) {
                lines.append(.init(at: moment, text: SageText.fill(text, hand)))
            }
        }
        rules.lines = lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(
            \.element)
    }

    private mutating func countedSeconds(_ text: String, at place: JSONPlace) -> Int? {
        if let seconds = Int(text), (1...60).contains(seconds) { return seconds }
        findings.expected("the number of seconds that are counted, from 1 to 60", at: place)
        return nil
    }

    /// When the text of that key is spoken; nil where it is not.
    private mutating func moment(_ key: String, at place: JSONPlace, within duration: Duration) -> Duration? {
        let moment: Duration
        switch key {
        case "start": moment = .zero
        case "halfway": moment = duration / 2
        case "end": moment = duration
        default:
            // Swift reads `nan` and `inf` as numbers, too.
            guard let seconds = Double(key), seconds.isFinite else {
                findings.expected("start, halfway, end, countdown or a number of seconds", at: place, found: key)
                return nil
            }
            moment = .milliseconds(Int64((min(max(seconds, 0), 1e6) * 1_000).rounded()))
        }
        if moment <= duration { return moment }
        findings.assume("the step is over by then; it is not said", at: place)
        return nil
    }
}
