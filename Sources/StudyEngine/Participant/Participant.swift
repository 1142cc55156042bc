// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import StudyModel
import Times

extension ScriptedValue: Decodable {
    /// Any JSON value but an object, for which it throws `ParticipantError.badValue` with its path.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let values = try? container.decode([ScriptedValue].self) {
            self = .list(values)
        } else {
            throw ParticipantError.badValue(decoder.codingPath.map(\.stringValue).joined(separator: "."))
        }
    }
}

/// A scripted participant: what is answered, how quickly, and what to do with everything that is not named.
package struct Participant: Sendable, Hashable {
    /// What to do with questions that are not named.
    package enum Otherwise: String, Sendable, CaseIterable { case skip, first, random }

    /// From a prompt to its first press.
    package let latency: Duration
    /// By question id or task key. A list gives its values in turn, and begins again; a question that takes several options
    /// takes a list of lists.
    private let answers: [String: ScriptedValue]
    /// For questions that are not named.
    private let otherwise: Otherwise
    /// How often a task without a prompt is opened from the list when it becomes open, 0...1; nil = not said: always in a simulation,
    /// never in the demo, where the list is opened by other wishes.
    package var opens: Double?
    /// How often a prompt is not reacted to; these and the next are shares of all prompts, together at most 1.
    package var misses = 0.0
    /// How often a prompt is put off; drawn anew when it comes again.
    package var delays = 0.0
    /// How often a prompt is declined.
    package var declines = 0.0
    /// How often the participant goes back once before answering a question, 0...1.
    package var goesBack = 0.0
    /// How often a task is left half-way, without saving, 0...1; active tasks are not.
    package var leaves = 0.0

    package init(
        latency: Duration = .seconds(20), answers: [String: ScriptedValue] = [:], otherwise: Otherwise = .first
    ) {
        self.latency = latency
        self.answers = answers
        self.otherwise = otherwise
    }

    /// Reads a participant file: JSON of at most 1 MiB. Throws `ParticipantError`.
    package init(json: [UInt8]) throws {
        guard json.count <= 1 << 20 else { throw ParticipantError.tooLarge(json.count) }
        do {
            let file = try JSONDecoder().decode(File.self, from: Data(json))
            try self.init(file)
        } catch let error as DecodingError {
            throw ParticipantError.notJSON(Self.words(error))
        }
    }

    /// What question `step` is answered with the `turn`-th time (from 0) it is asked.
    package func wanted(
        _ step: Step, turn: Int, now: LocalDateTime, using generator: inout SplitMix64
    ) throws -> Wanted {
        if let scripted = answers[step.key] ?? answers[step.wireKey] {
            let value = Self.value(scripted, turn, step.format)
            do {
                return try Wanted(value, for: step.format, now: now)
            } catch let error as WantedError {
                throw ParticipantError.unfit(question: step.key, error.description)
            }
        }
        return switch otherwise {
        case .skip: .skip(step, now: now)
        case .first: .first(step, now: now)
        case .random: .random(step, now: now, using: &generator)
        }
    }

    /// The file says how this step is answered.
    func names(_ step: Step) -> Bool { (answers[step.key] ?? answers[step.wireKey]) != nil }

    /// Throws the first value that a question of the study cannot have, before anything is done. Days and times are looked at when they are asked for:
    /// their limits may move.
    package func check(_ study: StudyProtocol) throws {
        for step in study.tasks.flatMap(\.content.steps) {
            guard let scripted = answers[step.key] ?? answers[step.wireKey] else { continue }
            if case .dateTime = step.format { continue }
            var turns = 1
            if case .list(let values) = scripted { turns = max(1, values.count) }
            for turn in 0..<turns {
                do {
                    let value = Self.value(scripted, turn, step.format)
                    _ = try Wanted(value, for: step.format, now: LocalDateTime(LocalDate(daysSinceEpoch: 0), .midnight))
                } catch let error as WantedError {
                    throw ParticipantError.unfit(question: step.key, error.description)
                }
            }
        }
    }

    private static func value(_ scripted: ScriptedValue, _ turn: Int, _ format: AnswerFormat) -> ScriptedValue {
        guard case .list(let values) = scripted, !values.isEmpty else { return scripted }
        if case .choice(let choice) = format, choice.isMultiple, values.allSatisfy({ $0.text != nil }) {
            return scripted
        }
        return values[turn % values.count]
    }

    private struct File: Decodable {
        let latency: String?
        let answers: [String: ScriptedValue]?
        let otherwise: String?
        let opens: Double?
        let misses: Double?
        let delays: Double?
        let declines: Double?
        let goesBack: Double?
        let leaves: Double?
    }

    private init(_ file: File) throws {
        let otherwise = try file.otherwise.map { name in
            guard let known = Otherwise(rawValue: name) else { throw ParticipantError.otherwise(name) }
            return known
        }
        self.init(
            latency: try file.latency.map(Self.duration) ?? .seconds(20), answers: file.answers ?? [:],
            otherwise: otherwise ?? .first)
        opens = try file.opens.map { try Self.share($0, "opens") }
        misses = try Self.share(file.misses ?? 0, "misses")
        delays = try Self.share(file.delays ?? 0, "delays")
        declines = try Self.share(file.declines ?? 0, "declines")
        goesBack = try Self.share(file.goesBack ?? 0, "goesBack")
        leaves = try Self.share(file.leaves ?? 0, "leaves")
        guard misses + delays + declines <= 1 else { throw ParticipantError.tooMuch(misses + delays + declines) }
    }

    private static func share(_ value: Double, _ name: String) throws -> Double {
        guard (0...1).contains(value) else { throw ParticipantError.share(name, value) }
        return value
    }

    private static func duration(_ text: String) throws -> Duration {
        guard let duration = try? Duration(parsing: text), (.zero ... .seconds(1_000_000)).contains(duration) else {
            throw ParticipantError.latency(text)
        }
        return duration
    }

    private static func words(_ error: DecodingError) -> String {
        let context: DecodingError.Context
        switch error {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
            .dataCorrupted(let found):
            context = found
        @unknown default: return "\(error)"
        }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    }
}

/// What is wrong with a participant file.
package enum ParticipantError: Error, Hashable, CustomStringConvertible {
    case tooLarge(Int)
    case notJSON(String)
    case badValue(String)
    case otherwise(String)
    case latency(String)
    case share(String, Double)
    case tooMuch(Double)
    case unfit(question: String, String)

    /// Names the key of the participant file and what may stand there.
    package var description: String {
        switch self {
        case .tooLarge(let count): "participant file: \(count) bytes; at most 1 MiB is read"
        case .notJSON(let what):
            "participant file: \(what). It is {\"latency\":\"20s\",\"answers\":{…},\"otherwise\":\"skip|first|random\",\"opens\":1,\"misses\":0,\"delays\":0,\"declines\":0,\"goesBack\":0,\"leaves\":0}"
        case .badValue(let path):
            "participant file: \(path) is an object; use a string, number, true, false, null or list"
        case .otherwise(let name): "participant file: otherwise is \"\(name)\"; use skip, first or random"
        case .latency(let text):
            "participant file: latency is \"\(text)\"; use a duration, e.g. \"20s\""
        case .share(let name, let value):
            "participant file: \(name) is \(NumberText.text(value)); use a probability from 0 (never) to 1 (always)"
        case .tooMuch(let sum):
            "participant file: misses, delays and declines add up to \(NumberText.text(sum)); use at most 1"
        case .unfit(let question, let what): "participant file: answers.\(question): \(what)"
        }
    }
}
