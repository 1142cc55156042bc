// SPDX-License-Identifier: Apache-2.0
import Base

/// What came out of an active task: the answer that its step gives (`AnswerValue.performance`), for results and
/// charts.
package struct Performance: Sendable, Hashable, Codable {
    package let record: any PerformanceRecord

    package init(_ record: any PerformanceRecord) { self.record = record }

    /// The figure of that name, whatever its case; else the main one; nil where that was not measured.
    package func number(_ part: String?) -> Double? {
        let figures = record.figures
        let wanted = figures.first { $0.name.lowercased() == part?.lowercased() }
        return (wanted ?? figures.first { $0.name == record.mainFigure })?.number
    }

    package static func == (left: Performance, right: Performance) -> Bool { left.record.isEqual(to: right.record) }
    package func hash(into hasher: inout Hasher) { record.hash(into: &hasher) }
}

extension PerformanceRecord {
    fileprivate func isEqual(to other: any PerformanceRecord) -> Bool { other as? Self == self }
}

/// Coded as Swift would code an enumeration with a case for each kind: `{"kicks":{"_0":{…}}}`. Event logs
/// have this form, so it never changes.
extension Performance {
    private struct Key: CodingKey {
        static let record = Key(stringValue: "_0")
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads a record of a kind that is in the catalog.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first,
            let kind = ActiveTaskCatalog.records.first(where: { $0.kind == key.stringValue })
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no active task has such a result"))
        }
        record = try Self.decode(kind, from: container.nestedContainer(keyedBy: Key.self, forKey: key))
    }

    private static func decode<Record: PerformanceRecord>(
        _ kind: Record.Type, from container: KeyedDecodingContainer<Key>
    ) throws -> any PerformanceRecord {
        try container.decode(kind, forKey: .record)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var inner = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: type(of: record).kind))
        try inner.encode(record, forKey: .record)
    }
}

extension JSONText {
    /// A number of seconds, rounded to microseconds.
    static func seconds(_ duration: Duration) -> JSONText {
        let parts = duration.components
        return .number(Double(parts.seconds) + (Double(parts.attoseconds) / 1e12).rounded() / 1e6)
    }
}
