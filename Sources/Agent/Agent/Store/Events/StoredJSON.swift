// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Study

/// JSON with bytes that follow from the value alone (sorted keys, no spaces), for rows of the log, whose hashes cover
/// them, and for columns of the projections.
enum StoredJSON {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func value<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

extension StudyEvent {
    /// What happened, in one word, as a row has it: `submitted`. It reveals no answer.
    package var kind: String { (try? stored().kind) ?? "unknown" }

    /// `{"decided":{…}}`, as the log would have it.
    package var line: String { get throws { try StoredJSON.text(self) } }

    /// The two columns of a row: the case's name, and the JSON object of its associated values. Codable writes
    /// `{"kind":{…}}`; the text is cut, not parsed, so that `init(kind:body:)` restores the same bytes.
    func stored() throws -> (kind: String, body: String) {
        let text = try StoredJSON.text(self)
        guard let end = text.dropFirst(2).firstIndex(of: "\"") else { throw StoreError.unreadableEvent(0, "nameless") }
        let kind = text[text.index(text.startIndex, offsetBy: 2)..<end]
        return (String(kind), String(text[text.index(end, offsetBy: 2)...].dropLast()))
    }

    init(kind: String, body: String) throws {
        self = try StoredJSON.value(StudyEvent.self, from: "{\"\(kind)\":\(body)}")
    }
}
