// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads steps that are performed and have a special result, for `SageTaskReader`: BiAffect's go/no-go, and
/// ResearchKit's tasks under the names of its steps' properties.
struct SagePerformanceReader {
    static let types: Set<String> = ["reactionTime", "gonogo", "timedWalk", "psat", "audioLevel"]

    let place: JSONPlace
    private(set) var findings: Findings

    /// `type` is one of `types`. Nil where the step cannot be performed, which has been noted.
    mutating func read(_ type: String) -> (format: AnswerFormat, field: SageField)? {
        // Measures how loud the place is before a voice is recorded; the step's rules decide by the level
        // where to go. The usual 5 s are the countdown of ResearchKit's audio task.
        if type == "audioLevel" {
            let seconds = place.member("duration") == nil ? 5 : findings.integer("duration", 1...60, in: place)
            return seconds.map { (.reading(.ambient(seconds: $0)), SageField(.number)) }
        }
        let rules: (any ActiveTaskRules)? =
            switch type {
            // Defaults are those of ORKCatalog (ResearchKit daba8c9f, samples/ORKCatalog,
            // `reactionTimeTask`).
            case "reactionTime": ReactionTimeRules(reaction(attempts: 3))
            // Defaults are those of BiAffect's `GoNoGoStepObject`.
            case "gonogo": GoNoGoRules(reaction(attempts: 9, most: 18))
            case "psat": psat()
            default: timedWalk()  // The only other one of `types`.
            }
        guard let rules else { return nil }
        for problem in rules.problems {
            findings.expected("parameters that can be performed", at: place, found: problem)
        }
        return (.active(ActiveTask(rules)), SageField(.object))
    }

    private mutating func reaction(attempts: Int, most: Int? = nil) -> ReactionTerms {
        var terms = ReactionTerms(numberOfAttempts: attempts, maxTotalAttempts: most)
        if let shortest = seconds("minimumStimulusInterval") { terms.minimumStimulusInterval = shortest }
        if let longest = seconds("maximumStimulusInterval") { terms.maximumStimulusInterval = longest }
        if let timeout = seconds("timeout") { terms.timeout = timeout }
        if let number = count("numberOfAttempts") { terms.numberOfAttempts = number }
        if let number = count("maxTotalAttempts") { terms.maxTotalAttempts = number }
        if let most = terms.maxTotalAttempts, most < terms.numberOfAttempts {
            findings.warn(
                "it ends after \(most) attempts, as in the app: \(terms.numberOfAttempts) cannot succeed",
                for: "maxTotalAttempts", in: place)
        }
        if let threshold = place.member("thresholdAcceleration") {
            findings.assume("a button is pressed, where the app is shaken: there is no threshold", at: threshold)
        }
        return terms
    }

    private mutating func timedWalk() -> TimedWalkRules? {
        guard let distance = findings.number("distanceInMeters", in: place) else { return nil }
        if place.member("stepDuration") == nil {
            findings.missing("stepDuration", "the time limit in seconds", in: place)
        }
        guard let limit = seconds("stepDuration") else { return nil }
        return TimedWalkRules(distanceInMeters: distance, timeLimit: limit)
    }

    /// Defaults are those of ORKCatalog (`PSATTask`).
    private mutating func psat() -> PSATRules {
        if let mode = place.member("presentationMode"), mode.integer != 1, mode.text != "auditory" {
            findings.expected("1 or \"auditory\": the digits are said", at: mode)
        }
        return PSATRules(
            interStimulusInterval: seconds("interStimulusInterval") ?? .seconds(3),
            seriesLength: count("seriesLength") ?? 60)
    }

    /// Nil where it is absent, or no number. A negative one stays negative, for the rules' `problems` to refuse.
    private mutating func seconds(_ key: String) -> Duration? {
        guard place.member(key) != nil, let seconds = findings.number(key, in: place) else { return nil }
        return .milliseconds(Int64((min(max(seconds, -1), 1e6) * 1_000).rounded()))
    }

    private mutating func count(_ key: String) -> Int? {
        place.member(key) == nil ? nil : findings.integer(key, 1...1_000, in: place)
    }
}
