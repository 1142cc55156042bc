// SPDX-License-Identifier: Apache-2.0
import Base

/// A `multipart/form-data` body (RFC 7578) of plain text parts, in the order given, and of a file behind them.
/// `SchemaWriter` sends records in it, `ESMiraFileUpload` recordings.
///
/// The boundary follows from the contents alone, so that the same record always
/// makes the same bytes.
package struct MultipartBody: Sendable, Hashable {
    package let contentType: String
    /// The whole body, up to the closing boundary; goes with `contentType` alone, which
    /// names the boundary.
    package let bytes: [UInt8]

    package struct File: Sendable, Hashable {
        let name: String
        let fileName: String
        let contentType: String
        let bytes: [UInt8]

        /// Names are the platform's and need no escaping.
        package init(name: String, fileName: String, contentType: String, bytes: [UInt8]) {
            self.name = name
            self.fileName = fileName
            self.contentType = contentType
            self.bytes = bytes
        }
    }

    /// A body of these fields. Field names are the platform's and need no escaping.
    package init(_ fields: [(name: String, value: String)], file: File? = nil) {
        var contents = fields.map { (name: Array("\"\($0.name)\"".utf8), value: Array($0.value.utf8)) }
        if let file {
            let head = "\"\(file.name)\"; filename=\"\(file.fileName)\"\r\nContent-Type: \(file.contentType)"
            contents.append((Array(head.utf8), file.bytes))
        }
        let boundary = Self.boundary(for: contents)
        let head = Array("--\(boundary)\r\nContent-Disposition: form-data; name=".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(contents.reduce(256) { $0 + head.count + $1.name.count + $1.value.count + 6 })
        for (name, value) in contents {
            bytes += head
            bytes += name
            bytes += [13, 10, 13, 10]
            bytes += value
            bytes += [13, 10]
        }
        bytes += "--\(boundary)--\r\n".utf8
        self.bytes = bytes
        contentType = "multipart/form-data; boundary=\(boundary)"
    }

    /// A boundary that no value contains.
    private static func boundary(for fields: [(name: [UInt8], value: [UInt8])]) -> String {
        // From two bases: only unlikely to occur.
        var (first, second) = (FNV1a.basis, UInt64(0x6C62_272E_07BB_0142))
        for field in fields {
            for bytes in [field.name, [0], field.value, [0]] {
                (first, second) = (FNV1a.hash(bytes, from: first), FNV1a.hash(bytes, from: second))
            }
        }
        while true {
            let boundary = "----studyd" + first.padded(16, radix: 16) + second.padded(16, radix: 16)
            let mark = Array("--\(boundary)".utf8)
            if !fields.contains(where: { $0.value.containsRun(mark[...]) }) { return boundary }
            first &+= 1
        }
    }
}

extension [UInt8] {
    fileprivate func containsRun(_ run: ArraySlice<UInt8>) -> Bool {
        guard count >= run.count else { return false }
        return (0...(count - run.count)).contains { self[$0] == run.first && self[$0...].starts(with: run) }
    }
}
