// SPDX-License-Identifier: Apache-2.0

/// A file that a participant's app uploaded, as `ESMiraTables` stores it and `ESMiraCard` lists it.
struct ESMiraMedia: Sendable {
    let id: Int64
    let user: String
    /// As the cell of the table has it.
    let name: String
    /// Unix ms.
    let received: Int64
    let bytes: Int64

    /// Beginnings of brands in the `ftyp` box for which PHP's `mime_content_type` says `video/…`
    /// (libmagic 5.44): the server takes sound in such containers only.
    private static let videoBrands = ["iso", "mp41", "mp42", "avc1", "dash", "M4V", "M4P", "qt", "3g", "mmp4", "MSNV"]

    static func isVideo(_ bytes: [UInt8]) -> Bool {
        bytes.dropFirst(4).starts(with: "ftyp".utf8)
            && videoBrands.contains { bytes.dropFirst(8).starts(with: $0.utf8) }
    }
}
