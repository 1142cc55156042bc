// SPDX-License-Identifier: Apache-2.0
//
// How values of the shared vocabulary are spelt in the log's JSON. The spelling is part of the file
// format: a log that was written once has to be read for ever.
import Base

extension Instant: Codable {
    /// Nanoseconds since 1970.
    package init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try decoder.singleValueContainer().decode(Int64.self))
    }
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

extension MonotonicTime: Codable {
    /// Nanoseconds on CLOCK_MONOTONIC.
    package init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try decoder.singleValueContainer().decode(Int64.self))
    }
    /// `Encodable`: one whole number, as `init(from:)` reads it. It means nothing
    /// without the boot's id.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

extension LocalDateTime: Codable {
    /// Two numbers: days since 1970-01-01 and nanoseconds since midnight.
    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        let date = LocalDate(daysSinceEpoch: try container.decode(Int.self))
        let start = LocalDateTime(date, .midnight)
        self = start.adding(.nanoseconds(try container.decode(Int64.self)))
    }
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(date.daysSinceEpoch)
        try container.encode(time.nanoseconds)
    }
}

extension AnswerValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case boolean, choices, number, cleared, dateTime, text, recording, position, performance
    }

    /// An object with one key, the kind.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "an answer needs exactly one known kind"))
        }
        switch key {
        case .boolean: self = .boolean(try container.decode(Bool.self, forKey: key))
        case .choices: self = .choices(try container.decode([String].self, forKey: key))
        case .number: self = .number(try container.decode(Double.self, forKey: key))
        case .cleared: self = .cleared
        case .dateTime: self = .dateTime(try container.decode(LocalDateTime.self, forKey: key))
        case .text: self = .text(try container.decode(String.self, forKey: key))
        case .recording: self = .recording(try container.decode(String.self, forKey: key))
        case .position:
            let degrees = try container.decode([Double].self, forKey: key)
            guard degrees.count == 2 else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a position needs latitude and longitude"))
            }
            self = .position(latitude: degrees[0], longitude: degrees[1])
        case .performance: self = .performance(try container.decode(Performance.self, forKey: key))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .boolean(let value): try container.encode(value, forKey: .boolean)
        case .choices(let values): try container.encode(values, forKey: .choices)
        case .number(let value): try container.encode(value, forKey: .number)
        case .cleared: try container.encode(true, forKey: .cleared)
        case .dateTime(let value): try container.encode(value, forKey: .dateTime)
        case .text(let value): try container.encode(value, forKey: .text)
        case .recording(let id): try container.encode(id, forKey: .recording)
        case .position(let latitude, let longitude): try container.encode([latitude, longitude], forKey: .position)
        case .performance(let value): try container.encode(value, forKey: .performance)
        }
    }
}

extension Outcome: Codable {
    /// The name, and after a slash the reason: `missed/device-off`.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let outcome = Outcome(stored: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "`\(text)` is not an outcome"))
        }
        self = outcome
    }
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stored)
    }

    /// As the log has it: `completed`, `missed/device-off`.
    package var stored: String { reason.map { "\(name)/\($0.rawValue)" } ?? name }

    package init?(stored: String) {
        switch stored {
        case "completed": self = .completed
        case "expired": self = .expired
        case "declined": self = .declined
        case "interrupted": self = .interrupted
        default:
            guard stored.hasPrefix("missed/"), let reason = MissReason(rawValue: String(stored.dropFirst(7))) else {
                return nil
            }
            self = .missed(reason)
        }
    }
}
