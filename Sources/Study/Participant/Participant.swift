// SPDX-License-Identifier: Apache-2.0
import Base

/// A scripted participant, read from a file, for `simulate` and the demo: what is answered, how quickly, and
/// what to do with everything that is not named. `PressPlanner` presses the buttons.
package struct Participant: Sendable, Hashable {
    /// What to do with questions that are not named.
    package enum Otherwise: String, Sendable, CaseIterable { case skip, first, random }

    /// From a prompt to its first press.
    package let latency: Duration
    /// By question id or task key. A list gives its values in turn, and begins again; a question
    /// that takes several options takes a list of lists.
    private let answers: [String: ScriptedValue]
    private let otherwise: Otherwise
    /// How often a task without a prompt is opened from the list when it becomes open,
    /// 0...1; nil = not said: always in a simulation, never by habit in the demo, which opens
    /// what it was asked to open.
    package var opens: Double?
    /// How often a prompt is not reacted to. `misses`, `delays`, `declines` and `silences` are shares of all
    /// prompts, 0...1 and together at most 1.
    package var misses = 0.0
    /// How often a prompt is put off; drawn again when it comes again.
    package var delays = 0.0
    /// How often a prompt is declined.
    package var declines = 0.0
    /// How often prompts are switched off when one comes, for three hours.
    package var silences = 0.0
    /// How often a task is done slowly, a question in four minutes, 0...1; active tasks are not.
    package var dawdles = 0.0
    /// How often the participant goes back once before answering a question, 0...1.
    package var goesBack = 0.0
    /// How often a task is left half-way, without saving, 0...1; active tasks are not.
    package var leaves = 0.0

    package init(
        latency: Duration = .seconds(20), answers: [String: ScriptedValue] = [:], otherwise: Otherwise = .first
    ) {
        (self.latency, self.answers, self.otherwise) = (latency, answers, otherwise)
    }

    /// Reads a participant file: JSON of at most 1 MiB. Throws `ParticipantError`.
    package init(json: [UInt8]) throws {
        guard json.count <= 1 << 20 else { throw ParticipantError.tooLarge(json.count) }
        let file = try Self.object(json)
        let otherwise = try Self.text("otherwise", in: file).map { name in
            guard let known = Otherwise(rawValue: name) else { throw ParticipantError.otherwise(name) }
            return known
        }
        self.init(
            latency: try Self.text("latency", in: file).map(Self.duration) ?? .seconds(20),
            answers: try Self.answers(file), otherwise: otherwise ?? .first)
        opens = try Self.share("opens", in: file)
        misses = try Self.share("misses", in: file) ?? 0
        delays = try Self.share("delays", in: file) ?? 0
        declines = try Self.share("declines", in: file) ?? 0
        silences = try Self.share("silences", in: file) ?? 0
        dawdles = try Self.share("dawdles", in: file) ?? 0
        goesBack = try Self.share("goesBack", in: file) ?? 0
        leaves = try Self.share("leaves", in: file) ?? 0
        let sum = misses + delays + declines + silences
        guard sum <= 1 else { throw ParticipantError.tooMuch(sum) }
    }

    /// The answer to `step` when it is asked for the `turn`-th time, from 0.
    package func wanted(
        _ step: Step, turn: Int, now: LocalDateTime, using generator: inout SplitMix64
    ) throws -> Wanted {
        if let scripted = scripted(step) { return try Self.wanted(scripted, step, turn: turn, now: now) }
        return switch otherwise {
        case .skip: .skip(step, now: now)
        case .first: .first(step, now: now)
        case .random: .random(step, now: now, using: &generator)
        }
    }

    /// Whether the file says how this step is answered.
    func hasAnswer(for step: Step) -> Bool { scripted(step) != nil }

    private func scripted(_ step: Step) -> ScriptedValue? { answers[step.key] ?? answers[step.wireKey] }

    /// Throws the first value that a question of the study cannot have, before anything is done. Days, times and
    /// years are checked only when they are asked for where their limits may move.
    package func check(_ study: StudyProtocol) throws {
        for step in study.tasks.flatMap(\.content.steps) {
            guard let scripted = scripted(step) else { continue }
            if case .dateTime = step.format { continue }
            if case .number(let format) = step.format, !format.yearLimits.isEmpty { continue }
            var turns = 1
            if case .list(let values) = scripted { turns = max(1, values.count) }
            for turn in 0..<turns {
                let epoch = LocalDateTime(LocalDate(daysSinceEpoch: 0), .midnight)
                _ = try Self.wanted(scripted, step, turn: turn, now: epoch)
            }
        }
    }

    private static func wanted(
        _ scripted: ScriptedValue, _ step: Step, turn: Int, now: LocalDateTime
    ) throws -> Wanted {
        do {
            return try Wanted(value(scripted, turn, step.format), for: step.format, now: now)
        } catch let error as WantedError {
            throw ParticipantError.unfit(question: step.key, error.description)
        }
    }

    /// The value of that turn, where the script has a list of values in turn; else the script's value.
    private static func value(_ scripted: ScriptedValue, _ turn: Int, _ format: AnswerFormat) -> ScriptedValue {
        guard case .list(let values) = scripted, !values.isEmpty else { return scripted }
        if case .choice(let choice) = format, choice.isMultiple, values.allSatisfy({ $0.text != nil }) {
            return scripted
        }
        return values[turn % values.count]
    }

    private static func object(_ json: [UInt8]) throws -> JSONNode {
        let file: JSONNode
        do { file = try JSONNode(json) } catch { throw ParticipantError.notJSON("\(error)") }
        guard case .object = file.content else { throw ParticipantError.notJSON("\(file.summary) is no object") }
        return file
    }

    /// The value of `key`; nil where there is nothing or null. Throws where `read` does not take
    /// it.
    private static func value<Value>(
        _ key: String, in file: JSONNode, _ kind: String, _ read: (JSONNode.Content) -> Value?
    ) throws -> Value? {
        guard let node = file[key] else { return nil }
        if case .null = node.content { return nil }
        guard let value = read(node.content) else {
            throw ParticipantError.notJSON("\(key) is \(node.summary), not \(kind)")
        }
        return value
    }

    private static func text(_ key: String, in file: JSONNode) throws -> String? {
        try value(key, in: file, "a text") { if case .string(let text) = $0 { text } else { nil } }
    }

    private static func answers(_ file: JSONNode) throws -> [String: ScriptedValue] {
        let members = try value("answers", in: file, "an object") { content -> [JSONNode.Member]? in
            if case .object(let members) = content { members } else { nil }
        }
        var answers: [String: ScriptedValue] = [:]
        for member in members ?? [] {
            answers[member.key] = try ScriptedValue(member.value, path: "answers." + member.key)
        }
        return answers
    }

    private static func share(_ name: String, in file: JSONNode) throws -> Double? {
        let share = try value(name, in: file, "a number") { content -> Double? in
            if case .number(let spelling) = content { Double(spelling) } else { nil }
        }
        guard share.map((0...1).contains) ?? true else { throw ParticipantError.share(name, share ?? 0) }
        return share
    }

    private static func duration(_ text: String) throws -> Duration {
        guard let duration = try? Duration(parsing: text), (.zero ... .seconds(1_000_000)).contains(duration) else {
            throw ParticipantError.latency(text)
        }
        return duration
    }
}

extension ScriptedValue {
    /// Any JSON value but an object, for which it throws `ParticipantError.badValue` with its path.
    fileprivate init(_ node: JSONNode, path: String) throws {
        switch node.content {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .number(let spelling):
            guard let value = Double(spelling), value.isFinite else {
                throw ParticipantError.notJSON("\(path) is \(node.summary), not a number that can be held")
            }
            self = .number(value)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .list(try elements.map { try ScriptedValue($0, path: path) })
        case .object: throw ParticipantError.badValue(path)
        }
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

    /// Names the key of the participant file and what its value may be.
    package var description: String {
        switch self {
        case .tooLarge(let count): "participant file: \(count) bytes; at most 1 MiB is read"
        case .notJSON(let what):
            "participant file: \(what). It is {\"latency\":\"20s\",\"answers\":{…},\"otherwise\":\"skip|first|random\",\"opens\":1,\"misses\":0,\"delays\":0,\"declines\":0,\"silences\":0,\"dawdles\":0,\"goesBack\":0,\"leaves\":0}"
        case .badValue(let path):
            "participant file: \(path) is an object; use a string, number, true, false, null or list"
        case .otherwise(let name): "participant file: otherwise is \"\(name)\"; use skip, first or random"
        case .latency(let text):
            "participant file: latency is \"\(text)\"; use a duration, e.g. \"20s\""
        case .share(let name, let value):
            "participant file: \(name) is \(NumberText.text(value)); use a probability from 0 (never) to 1 (always)"
        case .tooMuch(let sum):
            "participant file: misses, delays, declines and silences add up to \(NumberText.text(sum)); use at most 1"
        case .unfit(let question, let what): "participant file: answers.\(question): \(what)"
        }
    }
}
