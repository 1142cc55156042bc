// SPDX-License-Identifier: Apache-2.0
import Base
import Study

// The JSON that `LiveFeed` publishes.

extension DeviceReport {
    /// What a live view shows of the device: the report's present state, without counts of the past and names.
    func live(lastAnswer: Instant?) -> JSONText {
        .object([
            .init("state", .string(activity.rawValue)), .init("clock", clockText),
            .init("battery", battery.map { .number(($0 * 100).rounded()) } ?? .null),
            .init("temperature", health.reading.temperature.map { .number($0) } ?? .null),
            .init("outbox", outboxText), .init("disk", diskText), .init("faults", .array(faultTexts)),
            .init("lastAnswer", lastAnswer.map { .string($0.rfc3339(in: zone)) } ?? .null),
            .init("nextPrompt", nextPromptText),
        ])
    }
}

extension PromptOutcome {
    /// Without the presses: they may say what was answered.
    func live(in zone: Zone) -> JSONText {
        guard case .object(let members) = json(in: zone) else { return .null }
        return .object(members.filter { $0.key != "presses" })
    }

    /// `answers` by question; each value is the JSON text that the log has.
    func live(answers: [(question: String, value: String)]) -> JSONText {
        .object([
            .init("occurrence", .string(occurrence.bounded)), .init("task", .string(task.bounded)),
            .init("answers", .object(answers.map { .init($0.question, .spelled($0.value)) })),
        ])
    }
}

extension FeatureEpoch {
    /// An epoch of what the sensors' features say; a value that is not known is null.
    func live(in zone: Zone) -> JSONText {
        let named = zip(columns, values).map { name, value in
            JSONText.Member(name, value.map { .number($0) } ?? .null)
        }
        return .object([
            .init("source", .string(source)), .init("start", .string(start.rfc3339(in: zone))),
            .init("seconds", .number(length.seconds)), .init("coverage", .number(coverage)),
            .init("values", .object(named)),
        ])
    }
}
