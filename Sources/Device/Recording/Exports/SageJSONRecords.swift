// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Writes a sample log as SageResearch's recorders do: an array with one record per line.
package struct SageJSONRecords {
    package enum Value {
        /// A number with this many decimals; nil and not finite values are written as null, or left out.
        case number(Double?, decimals: Int)
        /// Left out where it is nil.
        case text(String?)
    }

    private let output: ExportOutput
    private let omitsNull: Bool
    private var isEmpty = true

    /// Begins the array; `end` has to close it. `omitsNull` leaves out numbers that would be null, which the
    /// published schemas do not allow.
    package init(_ output: ExportOutput, omitsNull: Bool = false) {
        self.output = output
        self.omitsNull = omitsNull
        output.text("[\n")
    }

    package mutating func add(_ fields: KeyValuePairs<String, Value>) throws(FileError) {
        output.text(isEmpty ? "{" : ",\n{")
        isEmpty = false
        var separator = ""
        for (key, value) in fields {
            if case .text(nil) = value { continue }
            if omitsNull, case .number(let number, _) = value, !(number?.isFinite ?? false) { continue }
            output.text("\(separator)\"\(key)\":")
            separator = ","
            switch value {
            case .number(let number?, let decimals) where number.isFinite: output.number(number, decimals)
            case .number: output.text("null")
            case .text(let text): quote(text ?? "")
            }
        }
        output.text("}")
        try output.drain()
    }

    /// Marks the beginning of a step, a restart or the end of a gap, `since` seconds after the start.
    mutating func addMarker(_ uptime: Double, _ since: Double, _ path: String, _ date: String?) throws(FileError) {
        try add([
            "uptime": .number(uptime, decimals: 6), "timestamp": .number(since, decimals: 6),
            "timestampDate": .text(date), "stepPath": .text(path),
        ])
    }

    /// Nearly all texts need no escapes, and there are millions of them.
    private func quote(_ text: String) {
        let isPlain = text.utf8.allSatisfy { $0 >= 32 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard isPlain else { return output.text(JSONText.quoted(text)) }
        output.text("\"")
        output.text(text)
        output.text("\"")
    }

    package func end() { output.text("\n]\n") }
}
