// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Steps by what they say they are.
extension SageTaskReader {
    /// Every type that is known, for the message about one that is not.
    private static let stepTypes = [
        "instruction", "overview", "completion", "permission", "feedback", "active", "countdown", "section", "subtask",
        "transform", "taskInfo", "simpleQuestion", "choiceQuestion", "stringChoiceQuestion", "multipleInputQuestion",
        "form", "demographics", "imagePicker", "handSelection", "handInstruction", "tapping", "reactionTime", "gonogo",
        "timedWalk", "psat", "audioLevel", "motion", "tremor", "walk", "balance", "backgroundCountdown", "mpowerActive",
        "mtcCountdown", "transformableAssessment",
    ]
    /// Steps of MotorControl 2 that record motion by themselves, on iOS under one name.
    private static let motionTypes: Set<String> = ["motion", "tremor", "walk", "balance"]

    mutating func step(_ place: JSONPlace, _ identifier: String, _ scope: SageScope, as given: String? = nil) {
        let type = given ?? place.member("type")?.text
        switch type {
        case "overview", "completion", "permission", "feedback", "taskInfo": told(place, identifier, scope)
        case "instruction" where Self.lasts(place), "active", "mpowerActive":
            active(place, identifier, scope, named: "active")
        case let type? where Self.motionTypes.contains(type): motion(place, identifier, scope)
        case "instruction": told(place, identifier, scope)
        case "countdown", "backgroundCountdown", "mtcCountdown": active(place, identifier, scope, named: "countdown")
        case "tapping":
            active(place, identifier, scope, named: "tapping")
            if isAssessmentModel { recordMotion(place, identifier, scope) }
        case let type? where Self.performances.contains(type): performance(type, place, identifier, scope)
        case "simpleQuestion", "choiceQuestion", "stringChoiceQuestion", "multipleInputQuestion", "form":
            question(place, identifier, scope)
        case "demographics" where place.member("inputFields") != nil: question(place, identifier, scope)
        case "handSelection": handSelection(place, identifier, scope)
        case "handInstruction": handInstruction(place, identifier, scope)
        case "imagePicker", "demographics":
            findings.unsupported("the pictures of this step are not shown, only its text is given", at: place)
            told(place, identifier, scope)
        case nil where isOld && place.member("type") == nil:
            findings.assume("a step without a type is given as text, as SageResearch 1 and 2 show it", at: place)
            told(place, identifier, scope)
        default: unknown(place, identifier)
        }
    }

    private mutating func unknown(_ place: JSONPlace, _ identifier: String) {
        let wanted = "a known type of step (\(Self.stepTypes.joined(separator: ", ")))"
        guard let type = place.member("type") else { return findings.missing("type", wanted, in: place) }
        findings.expected(wanted, at: type, found: "\(type.node.summary) of the step \"\(identifier)\"")
    }

    private mutating func told(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        for picture in ["image", "videoView"] {
            if let image = place.member(picture) { findings.unsupported("the picture is not shown", at: image) }
        }
        let text = text(of: place, hand: scope.hand)
        add(place, identifier, scope, text: text.isEmpty ? identifier : text, format: .instruction, kind: .base)
    }

    // MARK: - Steps that last

    /// In v1 and v2 an instruction may last and speak.
    private static func lasts(_ place: JSONPlace) -> Bool { (place.member("duration")?.number ?? 0) > 0 }

    private mutating func active(_ place: JSONPlace, _ identifier: String, _ scope: SageScope, named name: String) {
        let isCountdown = name == "countdown"
        let seconds = place.member("duration").map { number(at: $0) ?? 0 } ?? (isCountdown ? 5 : 0)
        guard seconds >= 0, seconds <= TimedStepRules.longest.components.seconds.asDouble else {
            findings.expected("a duration from 0 to 7200 seconds", at: place.member("duration") ?? place)
            return
        }
        let commands = commands(of: place)
        let duration = Duration.milliseconds(Int64((seconds * 1_000).rounded()))
        var rules = TimedStepRules(name: name, duration: duration)
        rules.beginsByItself = commands & 16 != 0 || isCountdown
        rules.goesOnByItself = commands & 32 != 0 || isCountdown
        rules.signalsStart = commands & (1 | 4) != 0
        rules.signalsEnd = commands & (2 | 8) != 0
        rules.warnsOnPause = commands & 128 != 0
        rules.takesTaps = name == "tapping"
        if name == "motion" {
            // `MotionSensorStepView`: from its appearance, with a vibration at both ends, and from
            // its beginning after a pause.
            (rules.beginsByItself, rules.signalsStart, rules.signalsEnd) = (true, true, true)
            rules.restartsAfterPause = true
        }
        if name == "motion" || name == "tapping" && isAssessmentModel { rules.goesOnByItself = true }
        if isCountdown { rules.countedSeconds = Int(seconds.rounded(.down)) }
        spoken(of: place, &rules, hand: scope.hand)
        let text = text(of: place, hand: scope.hand)
        if place.member("image") != nil { findings.unsupported("the picture is not shown", at: place) }
        guard duration > .zero || rules.takesTaps else {
            findings.assume("a step without a duration waits for a press", at: place)
            return add(
                place, identifier, scope, text: Self.join([text] + rules.lines.map(\.text)), format: .instruction,
                kind: .base)
        }
        add(
            place, identifier, scope, text: text.isEmpty ? rules.lines.first?.text ?? identifier : text,
            format: .active(ActiveTask(rules)),
            kind: rules.takesTaps ? .tapping : .base)
    }

    private mutating func motion(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        guard place.member("duration") != nil else {
            return findings.missing("duration", "how many seconds it lasts", in: place)
        }
        active(place, identifier, scope, named: "motion")
        recordMotion(place, identifier, scope)
    }

    /// What `MotionSensorNodeObject.recorderTypes` names, while the step of the last row lasts.
    private mutating func recordMotion(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        guard let row = rows.last, row.own.identifier == identifier else { return }
        let name = (scope.keys + [identifier]).joined(separator: "_")
        guard identifiers.insert(name).inserted else {
            return findings.expected("a unique identifier among the actions", at: place, found: "\"\(name)\" again")
        }
        recorders.append(
            TaskRecorder(
                identifier: name, kinds: [.accelerometer, .gyroscope], startStep: row.step.key, stopStep: row.step.key))
        var action = SageAction(identifier: identifier, sections: scope.keys, type: "motion")
        action.isBuiltIn = true
        action.sensors = ["accelerometer", "gyro", "gravity", "userAcceleration", "attitude", "rotationRate"]
        actions[name] = action
    }

    private mutating func number(at place: JSONPlace) -> Double? {
        guard case .number = place.node.content, let number = place.number else {
            findings.expected("a number", at: place)
            return nil
        }
        return number
    }

    private static let commandBits: [String: Int] = [
        "playSoundOnStart": 1, "playSoundOnFinish": 2, "playSound": 3, "vibrateOnStart": 4, "vibrateOnFinish": 8,
        "vibrate": 12, "startTimerAutomatically": 16, "continueOnFinish": 32, "transitionAutomatically": 48,
        "shouldDisableIdleTimer": 64, "speakWarningOnPause": 128,
    ]

    private mutating func commands(of place: JSONPlace) -> Int {
        findings.texts("commands", in: place).reduce(0) { bits, command in
            if let bit = Self.commandBits[command.text] { return bits | bit }
            findings.expected(
                "one of \(Self.commandBits.keys.sorted().joined(separator: ", "))", at: command.place)
            return bits
        }
    }

    private mutating func spoken(of place: JSONPlace, _ rules: inout TimedStepRules, hand: String?) {
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
            let at: Duration?
            switch member.key {
            case "start": at = .zero
            case "halfway": at = rules.duration / 2
            case "end": at = rules.duration
            case "countdown":
                rules.countedSeconds = Int(text) ?? 0
                if Int(text).map({ (1...60).contains($0) }) != true {
                    findings.expected("the number of seconds that are counted, from 1 to 60", at: value)
                }
                continue
            default: at = Double(member.key).map { .milliseconds(Int64((min(max($0, 0), 1e6) * 1_000).rounded())) }
            }
            guard let at else {
                findings.expected("start, halfway, end, countdown or a number of seconds", at: value, found: member.key)
                continue
            }
            if at > rules.duration {
                findings.assume("the step is over by then; it is not said", at: value)
            } else {
                lines.append(.init(at: at, text: Self.fill(text, hand)))
            }
        }
        rules.lines = lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(
            \.element)
    }

    // MARK: - Hands

    private mutating func handSelection(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        guard hands == nil else {
            findings.expected("one choice of a hand in a task", at: place, found: "another")
            return
        }
        drawHands(question: (scope.keys + [identifier]).joined(separator: "/"), of: identifier, scope, isAlways: false)
        let texts = ["left": "Left hand", "right": "Right hand", "both": "Both hands"]
        var field = SageField(.string)
        field.choices = ["left", "right", "both"].map {
            .init(key: $0, value: .string($0), text: texts[$0] ?? $0, isAll: false, isExclusive: false)
        }
        let given = text(of: place)
        add(
            place, identifier, scope,
            text: given.isEmpty ? "Which hands are you able to use for this activity?" : given,
            format: .choice(
                ChoiceFormat(
                    options: field.choices.map { .init(value: $0.key, text: $0.text) }, isMultiple: false,
                    initial: "both")),
            kind: .handSelection, field: field, isRequired: true)
    }

    /// Two steps of which one is drawn: it says which hand comes first where both are used.
    mutating func drawHands(question: String, of identifier: String, _ scope: SageScope, isAlways: Bool) {
        var order: [String: String] = [:]
        for hand in ["left", "right"] {
            let key = (scope.keys + [identifier, "first-\(hand)"]).joined(separator: "/")
            order[hand] = key
            var row = SageRow(
                step: Step(key: key, text: hand, format: .instruction, drawGroup: "handOrder", path: root.path),
                own: SageStep(
                    identifier: "handOrder", sections: scope.keys, part: identifier, kind: .base), place: root)
            row.hides.append(Always())
            rows.append(row)
        }
        hands = SageHands(question: question, order: order, isAlways: isAlways)
    }

    /// As `TwoHandNavigator` has it: a section for each hand, side by side, into which and out of
    /// which nothing leads back.
    mutating func checkHands() {
        let sections = (hands?.sections.values.map { $0 } ?? []).sorted { $0.lowerBound < $1.lowerBound }
        guard sections.count == 2, sections[0].upperBound == sections[1].lowerBound else {
            let found = (hands?.sections.keys.sorted() ?? []).joined(separator: ", ")
            return findings.expected(
                "the sections \"left\" and \"right\", one behind the other", at: root,
                found: found.isEmpty ? "none" : found)
        }
        for section in sections { rows[section.lowerBound].step.isOneWay = true }
        guard rows.last?.place.member("type")?.text == "completion" else { return }
        rows[rows.count - 1].step.isOneWay = true
    }

    /// Told in the words of the hand that it is for: that of its section, else the first one.
    private mutating func handInstruction(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        guard scope.hand == nil, let hands, text(of: place).contains("%@") else {
            if scope.hand == nil, text(of: place).contains("%@") {
                findings.expected("a handSelection before it, since it names a hand", at: place, found: "none")
            }
            return told(place, identifier, scope)
        }
        for hand in ["left", "right"] {
            add(
                place, identifier, scope, text: text(of: place, hand: hand), format: .instruction, kind: .base,
                variant: "-\(hand)")
            rows[rows.count - 1].hides.append(SageFirstHand(hand, of: hands, isFirst: false))
        }
    }
}

extension Int64 {
    fileprivate var asDouble: Double { Double(self) }
}
