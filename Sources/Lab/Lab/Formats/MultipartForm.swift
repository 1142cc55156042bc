// SPDX-License-Identifier: Apache-2.0

/// Reads `multipart/form-data` (RFC 7578 over the grammar of RFC 2046 §5.1), strictly and within bounds, for
/// `Form` and for files that come to the stand-in of ESMira.
///
/// Not taken: nested multiparts, transfer encodings other than identity (RFC 7578 §4.7 forbids
/// them). Fields are read as UTF-8, whatever charset they name.
package struct MultipartForm {
    package struct Bounds {
        var parts = 64
        /// Bytes of the header block of one part.
        var headBytes = 4096
    }

    private let bytes: [UInt8]
    private let delimiter: [UInt8]
    private let bounds: Bounds
    private var position = 0

    /// One part: text, or a file where it has a file name.
    package struct Part: Sendable {
        package let name: String
        package let fileName: String?
        package let content: [UInt8]
    }

    /// The fields of a body in the order sent, all text. `boundary` is the parameter of the content
    /// type, without quotes.
    static func fields(_ bytes: [UInt8], boundary: String, bounds: Bounds = Bounds()) throws(FormError) -> [FormField] {
        var fields: [FormField] = []
        for part in try parts(bytes, boundary: boundary, bounds: bounds) {
            guard let value = String(validating: part.content, as: UTF8.self) else {
                throw FormError("the part `\(part.name)` is not UTF-8")
            }
            fields.append(FormField(name: part.name, value: value, fileName: part.fileName))
        }
        return fields
    }

    /// The parts of a body in the order sent, files among them.
    package static func parts(
        _ bytes: [UInt8], boundary: String, bounds: Bounds = Bounds()
    ) throws(FormError) -> [Part] {
        // RFC 2046 §5.1.1: 1 to 70 characters.
        guard (1...70).contains(boundary.utf8.count) else { throw FormError("the boundary is not 1 to 70 bytes long") }
        var form = MultipartForm(bytes: bytes, delimiter: Array("--\(boundary)".utf8), bounds: bounds)
        return try form.read()
    }

    private mutating func read() throws(FormError) -> [Part] {
        var fields: [Part] = []
        guard let first = delimiterIndex(from: 0) else { throw FormError("the boundary does not occur in the body") }
        position = first + delimiter.count
        while try !takeDelimiterEnd() {
            guard fields.count < bounds.parts else { throw FormError("there are more than \(bounds.parts) parts") }
            let head = try partHead()
            guard let end = delimiterIndex(from: position) else {
                throw FormError("the last part does not end with the boundary")
            }
            // The line break before a delimiter belongs to the delimiter (RFC 2046 §5.1.1).
            fields.append(try field(head, bytes[position..<max(position, end - 2)]))
            position = end + delimiter.count
        }
        return fields
    }

    /// Reads what follows a delimiter. True for `--`, which closes the body; false for a line break, after optional
    /// padding, which opens a part and is passed over.
    private mutating func takeDelimiterEnd() throws(FormError) -> Bool {
        if bytes[position...].starts(with: Array("--".utf8)) { return true }
        while position < bytes.count, bytes[position] == UInt8(ascii: " ") || bytes[position] == UInt8(ascii: "\t") {
            position += 1
        }
        guard bytes[position...].starts(with: Self.lineBreak) else {
            throw FormError("a boundary is followed by neither a line break nor `--`")
        }
        position += 2
        return false
    }

    private mutating func partHead() throws(FormError) -> [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = []
        let start = position
        while let end = index(of: Self.lineBreak, from: position, limit: start + bounds.headBytes) {
            let line = bytes[position..<end]
            position = end + 2
            if line.isEmpty { return lines }
            guard let text = String(validating: line, as: UTF8.self), let colon = text.firstIndex(of: ":") else {
                throw FormError("a header line of a part is not `name: value` in UTF-8")
            }
            lines.append((text[..<colon].lowercased(), String(text[text.index(after: colon)...])))
        }
        throw FormError("the headers of a part do not end within \(bounds.headBytes) bytes")
    }

    private func field(
        _ head: [(name: String, value: String)], _ content: ArraySlice<UInt8>
    ) throws(FormError) -> Part {
        let dispositions = head.filter { $0.name == "content-disposition" }
        guard dispositions.count == 1, let disposition = HeaderValue(dispositions[0].value),
            disposition.token == "form-data", let name = disposition.parameters["name"]
        else { throw FormError("a part has no `Content-Disposition: form-data; name=\"...\"`") }
        if let encoding = head.first(where: { $0.name == "content-transfer-encoding" })?.value,
            !["binary", "8bit", "7bit"].contains(HeaderValue(encoding)?.token)
        {
            throw FormError("the part `\(name)` has a transfer encoding, which RFC 7578 forbids")
        }
        return Part(name: name, fileName: disposition.parameters["filename"], content: Array(content))
    }

    private static let lineBreak = Array("\r\n".utf8)

    /// The place of a delimiter at the beginning of a line.
    private func delimiterIndex(from start: Int) -> Int? {
        var start = max(0, start)
        while let found = index(of: delimiter, from: start, limit: bytes.count) {
            let isAtLineStart = found == 0 || (found >= 2 && bytes[found - 2] == 13 && bytes[found - 1] == 10)
            if isAtLineStart { return found }
            start = found + 1
        }
        return nil
    }

    private func index(of pattern: [UInt8], from start: Int, limit: Int) -> Int? {
        let last = min(bytes.count, limit) - pattern.count
        guard start <= last else { return nil }
        return (start...last).first { at in
            bytes[at] == pattern[0] && bytes[at..<at + pattern.count].elementsEqual(pattern)
        }
    }
}
