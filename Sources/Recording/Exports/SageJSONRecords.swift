// SPDX-License-Identifier: Apache-2.0

/// Writes a sample log as SageResearch's recorders do: an array with one record per line.
public struct SageJSONRecords {
    /// One value of a record.
    public enum Value {
        /// A number with so many decimals; null where it is none.
        case number(Double?, decimals: Int)
        /// Text.
        case text(String)
    }

    private let output: ExportOutput
    private var isEmpty = true

    /// Begins the array.
    public init(_ output: ExportOutput) {
        self.output = output
        output.text("[\n")
    }

    /// Adds a record.
    public mutating func add(_ fields: KeyValuePairs<String, Value>) throws(RecordingError) {
        output.text(isEmpty ? "{" : ",\n{")
        isEmpty = false
        var separator = ""
        for (key, value) in fields {
            output.text("\(separator)\"\(key)\":")
            separator = ","
            switch value {
            case .number(let number?, let decimals) where number.isFinite: output.number(number, decimals)
            case .number: output.text("null")
            case .text(let text): quote(text)
            }
        }
        output.text("}")
        try output.drain()
    }

    /// Nearly all texts need no escapes, and there are millions of them.
    private func quote(_ text: String) {
        let isPlain = text.utf8.allSatisfy { $0 >= 32 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard isPlain else { return output.text(OrderedJSON.quoted(text)) }
        output.text("\"")
        output.text(text)
        output.text("\"")
    }

    /// Closes the array.
    public func end() { output.text("\n]\n") }
}
