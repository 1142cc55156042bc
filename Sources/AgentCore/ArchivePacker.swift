// SPDX-License-Identifier: Apache-2.0
import Recording
import StudyModel
import SystemKit

/// Packs and encrypts the bodies of requests, once, before they are kept.
package enum ArchivePacker {
    /// How a part that is made of recordings is written.
    package typealias Writer = (RecordedPart, ExportOutput) throws(RecordingError) -> Void

    /// The request with its body as it is to be kept. What cannot be encrypted has no address, and is never sent. A recording that cannot be read is an
    /// empty file: what was answered is worth more.
    package static func sealed(_ request: WireRequest, recorded: Writer? = nil) -> WireRequest {
        guard request.archive != nil || request.recipient != nil else { return request }
        var body: [UInt8]? = request.archive.map { packed($0, recorded) } ?? request.body
        if let recipient = request.recipient, let plain = body.take() {
            body = try? CMSEnvelope.seal(consume plain, to: recipient)
        }
        return WireRequest(
            method: request.method, url: body == nil ? "" : request.url, headers: request.headers, body: body ?? [])
    }

    private static func packed(_ archive: WireArchive, _ recorded: Writer?) -> [UInt8] {
        var zip = ZipArchive(at: archive.written)
        for entry in archive.entries {
            switch entry.content {
            case .bytes(let bytes): try? zip.add(entry.name, bytes)
            case .recorded(let part):
                do {
                    try zip.add(entry.name, isDeflated: part.form != .asItIs) { output throws(RecordingError) in
                        try recorded?(part, output)
                    }
                } catch {
                    try? zip.add(entry.name, Array((part.form == .asItIs ? "" : "[]\n").utf8))
                }
            }
        }
        return (consume zip).finish()
    }
}
