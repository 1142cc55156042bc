// SPDX-License-Identifier: Apache-2.0
import Base

/// A field of a form; a post of the schema app is a list of these.
package struct FormField: Hashable, Sendable {
    package let name: String
    package let value: String
    /// The file name of a multipart part; nil for a plain field.
    var fileName: String?
}

/// Why a body is no form; the sender reads it.
package struct FormError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The two encodings in which forms arrive: posts of the schema app, and the forms of the page.
package enum Form {
    /// The fields in the order sent, by the content type.
    package static func fields(_ bytes: [UInt8], contentType: String?) throws(FormError) -> [FormField] {
        guard let type = contentType.flatMap(HeaderValue.init) else {
            throw FormError("there is no Content-Type; send multipart/form-data")
        }
        switch type.token {
        case "multipart/form-data":
            guard let boundary = type.parameters["boundary"] else {
                throw FormError("the Content-Type has no boundary")
            }
            return try MultipartForm.fields(bytes, boundary: boundary)
        case "application/x-www-form-urlencoded": return try urlEncoded(bytes)
        default: throw FormError("\(type.token) is not read; send multipart/form-data")
        }
    }

    /// `a=b&c=d` by the URL standard's rules, but a broken escape is an error and not passed on.
    private static func urlEncoded(_ bytes: [UInt8]) throws(FormError) -> [FormField] {
        let items = bytes.split(separator: UInt8(ascii: "&"))
        guard items.count <= MultipartForm.Bounds().parts else { throw FormError("there are too many fields") }
        var fields: [FormField] = []
        for item in items {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0]), let value = parts.count == 1 ? "" : decoded(parts[1]) else {
                throw FormError("field \(fields.count + 1) is not percent-encoded UTF-8")
            }
            fields.append(FormField(name: name, value: value))
        }
        return fields
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        String(validating: bytes, as: UTF8.self).flatMap { PercentCode.decoded($0, plusIsSpace: true) }
    }
}
