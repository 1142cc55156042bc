// SPDX-License-Identifier: Apache-2.0
import Device
import Study
import SystemKit

/// Packs and encrypts the body of one request (`RequestPacker`), once: every retry sends the same bytes.
package enum ArchivePacker {
    package typealias Writer = (RecordedPart, ExportOutput) throws(FileError) -> Void

    package struct Packed: Sendable {
        package let request: WireRequest
        /// Why recordings are missing, by their names in the archive, which says it too: an answer
        /// is worth more than its recording.
        package let unreadable: [String: FileError]
    }

    /// The request with its body as it is to be kept. Throws where it cannot be packed or
    /// encrypted: then there is nothing that could be sent.
    package static func packed(_ request: WireRequest, recorded: Writer) throws -> Packed {
        guard request.isToBePacked else { return Packed(request: request, unreadable: [:]) }
        var unreadable: [String: FileError] = [:]
        var body =
            try request.archive.map { archive throws(FileError) in
                try packed(archive, recorded, &unreadable)
            } ?? request.body
        if let recipient = request.recipient { body = try CMSEnvelope.encrypt(consume body, to: recipient) }
        return Packed(
            request: WireRequest(method: request.method, url: request.url, headers: request.headers, body: body),
            unreadable: unreadable)
    }

    /// Packs again while recordings turn out to be unreadable, since the other files name them.
    private static func packed(
        _ archive: WireArchive, _ recorded: Writer, _ unreadable: inout [String: FileError]
    ) throws(FileError) -> [UInt8] {
        while true {
            let known = unreadable.count
            var zip = ZipArchive(at: archive.written)
            for entry in archive.entries(without: Set(unreadable.keys)) where unreadable[entry.name] == nil {
                switch entry.content {
                case .bytes(let bytes): try zip.add(entry.name, bytes)
                case .recorded(let part):
                    do {
                        try zip.add(entry.name, isDeflated: part.form != .asItIs) { output throws(FileError) in
                            try recorded(part, output)
                        }
                    } catch { unreadable[entry.name] = error }
                }
            }
            if unreadable.count == known { return (consume zip).finish() }
        }
    }
}

extension WireRequest {
    /// It is an archive that is still to be packed, or is still to be encrypted.
    var isToBePacked: Bool { archive != nil || recipient != nil }
}
