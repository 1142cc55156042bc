// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What became of a folder, as it is signalled and written to `RESULT.txt`.
package enum TakeoverOutcome: Sendable, Hashable {
    /// Nothing was changed; at least one mistake.
    case refused([TakeoverMistake])
    /// Enrolled, with what an assistant should know.
    case taken(participant: String, study: String, remarks: [TakeoverMistake])
    /// Everything is on the device; it enrols once its study's server answers.
    case waiting(participant: String, server: String, remarks: [TakeoverMistake])

    /// What is signalled after the outcome itself: the first of them.
    private var mistakes: [TakeoverMistake] {
        switch self {
        case .refused(let mistakes): mistakes
        case .taken(_, _, let remarks), .waiting(_, _, let remarks): remarks
        }
    }

    /// Of a device that is not used yet, so that no signal of a task begins like it.
    private static let opening: Rhythm = "=''"

    /// Told apart without colour and pitch: the opening, the outcome, the number of the first
    /// mistake.
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
    package var steps: [SignalStep] { Self.steps(rhythm, colour, isSilent: false) }

    /// While a folder is taken over.
    static func underWay(isSilent: Bool) -> [SignalStep] {
        let cue = PanelState.takingOver.cue
        return steps(cue.rhythm, cue.colour, isSilent: isSilent)
    }

    private static func steps(_ rhythm: Rhythm, _ colour: LightColour, isSilent: Bool) -> [SignalStep] {
        var steps = [SignalStep(duration: rest)]
        for (place, group) in rhythm.groups.enumerated() {
            if place > 0 { steps.append(SignalStep(duration: Rhythm.pause)) }
            for (index, beat) in group.enumerated() {
                if index > 0 { steps.append(SignalStep(duration: Rhythm.gap)) }
                steps.append(
                    SignalStep(
                        light: colour, sounds: !isSilent, pitch: isSilent ? nil : 880, vibrates: !isSilent,
                        duration: beat.duration))
            }
        }
        return steps
    }

    /// Before each repetition.
    private static let rest = Duration.seconds(3)

    private var colour: LightColour {
        switch self {
        case .refused: .red
        case .taken: .green
        case .waiting: .blue
        }
    }

    /// The text of `RESULT.txt`, with line ends that every Windows shows. It names no secret.
    ///
    /// `date` is what the device's clock shows, which may be wrong.
    package func text(date: String) -> String {
        let lines =
            [headline, ""] + body + ["", "Date (by the device's clock): \(date)", "studyd \(AgentVersion.text)"]
        return lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
            .joined(separator: "\r\n") + "\r\n"
    }

    private var headline: String {
        switch self {
        case .refused(let mistakes):
            "NOT taken over: \(Plural.of(mistakes.count, "mistake")). Correct it, put the card back and switch the device on again."
        case .taken: "Taken over: the device takes part in the study."
        case .waiting: "Taken over: the device takes part as soon as it reaches the study's server."
        }
    }

    private var body: [String] {
        switch self {
        case .refused(let mistakes): mistakes.flatMap(Self.paragraph)
        case .taken(let participant, let study, let remarks):
            ["Participant: \(participant)", "Study: \(study)"] + Self.list(remarks)
        case .waiting(let participant, let server, let remarks):
            ["Participant: \(participant.isEmpty ? "named by the study" : participant)", "Server: \(server)"]
                + Self.list(remarks)
        }
    }

    private static func list(_ remarks: [TakeoverMistake]) -> [String] {
        remarks.isEmpty ? [] : ["", "Please note:"] + remarks.flatMap(paragraph)
    }

    private static func paragraph(_ mistake: TakeoverMistake) -> [String] {
        let (longs, shorts) = mistake.kind.rawValue.quotientAndRemainder(dividingBy: 10)
        let explanation = mistake.explanation
        return [
            "What:       \(explanation.cause)", explanation.place.map { "Where:      \($0)" },
            explanation.remedy.map { "What to do: \($0)" },
            "Signal:     \(longs) long, \(shorts) short (number \(mistake.kind.rawValue))", "",
        ].compactMap(\.self)
    }
}
