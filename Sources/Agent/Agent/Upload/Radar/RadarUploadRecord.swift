// SPDX-License-Identifier: Apache-2.0
import Base

/// A record of radar-upload-backend (0.6, `RecordDTO`): files of one source that belong together, and
/// how far they are. `RadarUpload` reads it.
///
///     INCOMPLETE ──READY──▶ READY ──poll──▶ QUEUED ──▶ PROCESSING ──▶ SUCCEEDED, FAILED
///     takes files              as a converter of its source type asks for it
struct RadarUploadRecord: Sendable, Hashable {
    let id: Int64
    /// The device, as ManagementPortal names it; nil = the record does not say.
    let source: String?
    let status: String
    /// The server's version of the record; a request that changes the status must name it.
    let revision: Int64
    private let message: String?
    private let sizes: [String: Int64]

    init?(_ node: JSONNode) {
        let metadata = node["metadata"]
        guard let id = node["id"]?.wholeNumber, let status = metadata?["status"]?.text,
            let revision = metadata?["revision"]?.wholeNumber
        else { return nil }
        (self.id, self.status, self.revision) = (id, status, revision)
        source = node["data"]?["sourceId"]?.text
        message = metadata?["message"]?.text
        let named = (node["data"]?["contents"]?.elements ?? []).compactMap { content in
            content["fileName"]?.text.flatMap { name in content["size"]?.wholeNumber.map { (name, $0) } }
        }
        sizes = Dictionary(named) { $1 }
    }

    /// Files can be added.
    var isOpen: Bool { status == "INCOMPLETE" }

    func bytes(of name: String) -> Int64? { sizes[name] }

    var path: String { "records/\(id)" }

    /// The id in a `path`; nil for another text.
    static func id(_ path: String) -> Int64? {
        path.hasPrefix("records/") ? Int64(path.dropFirst("records/".count)) : nil
    }

    /// `FAILED, revision 5: No records in data`.
    var statusText: String {
        "\(status), revision \(revision)" + (status == "FAILED" ? ": \(message ?? "no reason")" : "")
    }
}
