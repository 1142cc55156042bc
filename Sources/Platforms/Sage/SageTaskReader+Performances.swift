// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Steps that are performed and have a result of their own: BiAffect's go/no-go, and ResearchKit's
/// tasks under the names of its steps' properties.
extension SageTaskReader {
    /// Their types.
    static let performances: Set<String> = ["reactionTime", "gonogo", "timedWalk", "psat", "audioLevel"]

    mutating func performance(_ type: String, _ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        if type == "audioLevel" { return audioLevel(place, identifier, scope) }
        let rules: (any ActiveTaskRules)? =
            switch type {
            // What is not given is as ORKCatalog has it (ResearchKit daba8c9f, samples/ORKCatalog,
            // `reactionTimeTask`).
            case "reactionTime": ReactionTimeRules(reaction(place, attempts: 3))
            // As BiAffect's `GoNoGoStepObject` has it.
            case "gonogo": GoNoGoRules(reaction(place, attempts: 9, most: 18))
            case "psat": psat(place)
            default: timedWalk(place)
            }
        guard let rules else { return }
        for problem in rules.problems {
            findings.expected("parameters that can be performed", at: place, found: problem)
        }
        let text = text(of: place, hand: scope.hand)
        if place.member("image") != nil { findings.unsupported("the picture is not shown", at: place) }
        add(
            place, identifier, scope, text: text.isEmpty ? identifier : text, format: .active(ActiveTask(rules)),
            kind: .answer, field: SageField(.object))
    }

    /// How loud it is before a voice is recorded; the rules of the step lead on by the level. As
    /// long as the countdown of ResearchKit's audio task.
    private mutating func audioLevel(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        let seconds = place.member("duration") == nil ? 5 : findings.integer("duration", 1...60, in: place)
        guard let seconds else { return }
        let text = text(of: place, hand: scope.hand)
        if place.member("image") != nil { findings.unsupported("the picture is not shown", at: place) }
        add(
            place, identifier, scope, text: text.isEmpty ? identifier : text,
            format: .reading(.ambient(seconds: seconds)), kind: .answer, field: SageField(.number))
    }

    private mutating func reaction(_ place: JSONPlace, attempts: Int, most: Int? = nil) -> ReactionTerms {
        var terms = ReactionTerms(numberOfAttempts: attempts, maxTotalAttempts: most)
        if let shortest = seconds("minimumStimulusInterval", in: place) { terms.minimumStimulusInterval = shortest }
        if let longest = seconds("maximumStimulusInterval", in: place) { terms.maximumStimulusInterval = longest }
        if let timeout = seconds("timeout", in: place) { terms.timeout = timeout }
        if let number = count("numberOfAttempts", in: place) { terms.numberOfAttempts = number }
        if let number = count("maxTotalAttempts", in: place) { terms.maxTotalAttempts = number }
        if let threshold = place.member("thresholdAcceleration") {
            findings.assume("a button is pressed, where the app is shaken: there is no threshold", at: threshold)
        }
        return terms
    }

    private mutating func timedWalk(_ place: JSONPlace) -> TimedWalkRules? {
        guard let distance = findings.number("distanceInMeters", in: place) else { return nil }
        if place.member("stepDuration") == nil {
            findings.missing("stepDuration", "the time limit in seconds", in: place)
        }
        guard let limit = seconds("stepDuration", in: place) else { return nil }
        return TimedWalkRules(distanceInMeters: distance, timeLimit: limit)
    }

    /// What is not given is as in ORKCatalog (`PSATTask`).
    private mutating func psat(_ place: JSONPlace) -> PSATRules {
        if let mode = place.member("presentationMode"), mode.integer != 1, mode.text != "auditory" {
            findings.expected("1 or \"auditory\": the digits are said", at: mode)
        }
        return PSATRules(
            interStimulusInterval: seconds("interStimulusInterval", in: place) ?? .seconds(3),
            seriesLength: count("seriesLength", in: place) ?? 60)
    }

    /// Nil where it is absent, or no number.
    private mutating func seconds(_ key: String, in place: JSONPlace) -> Duration? {
        guard place.member(key) != nil, let seconds = findings.number(key, in: place) else { return nil }
        return .milliseconds(Int64((min(max(seconds, -1), 1e6) * 1_000).rounded()))
    }

    private mutating func count(_ key: String, in place: JSONPlace) -> Int? {
        place.member(key) == nil ? nil : findings.integer(key, 1...1_000, in: place)
    }
}
