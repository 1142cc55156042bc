// SPDX-License-Identifier: Apache-2.0
import Lab

/// Why a study cannot be served, or why a request is refused, as the caller or the operator reads it.
struct StandInFailure: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }

    /// The JSON of a file.
    static func json(_ bytes: [UInt8], _ path: String) throws(StandInFailure) -> JSONValue {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw StandInFailure("\(path) is not UTF-8") }
        do { return try JSONReader.value(text, depthLimit: 128) } catch { throw StandInFailure("\(path): \(error)") }
    }
}
