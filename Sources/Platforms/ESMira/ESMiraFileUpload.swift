// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import Study

/// The upload of a recording that answers a question, to `api/file_uploads.php`: `ESMiraWriter` gives its
/// fields to the outbox, and `ESMiraWire` makes the request of them when it is sent.
///
/// As in the app (`Web.postFile`, ESMira-apps f750e58), the recording has a number. The dataset goes
/// first, with that number as the answer; then the file, with the number as its file name. The server
/// accepts a file only once, and only if a dataset has announced its number.
enum ESMiraFileUpload {
    static let endpoint = "file_uploads"

    /// The number of a recording. The app draws 31 random bits; here they are a hash of the recording's
    /// id, because the dataset and the file are built at different times and must agree. Never 0, which
    /// the server takes for no file.
    static func identifier(of id: String) -> UInt32 {
        let sum = FNV1a.hash(id.utf8)
        return max(1, UInt32(truncatingIfNeeded: sum ^ sum >> 32) & 0x7FFF_FFFF)
    }

    /// What the outbox keeps with the file until `request` is built from it.
    static func fields(of id: String, in context: WireContext, study: Int) -> [String: String] {
        [
            "userId": context.enrolment.participant.text, "studyId": String(study),
            "identifier": String(identifier(of: id)),
            "url": ESMiraWire.address(context.address, endpoint),
        ]
    }

    /// The parts in the app's order.
    static func request(carrying flac: [UInt8], with fields: [String: String]) throws -> WireRequest {
        guard let file = FLACInMP4.file(flac) else {
            throw RunFileError(
                "the recording is not a complete FLAC file, so it cannot be sent in a form the server accepts")
        }
        let body = MultipartBody(
            [
                ("userId", fields["userId"] ?? ""), ("studyId", fields["studyId"] ?? ""), ("dataType", "Audio"),
                ("appVersion", ESMiraWire.appVersion), ("appType", ESMiraWire.appType),
                ("serverVersion", String(ESMiraWire.level)),
            ],
            file: .init(
                name: "upload", fileName: fields["identifier"] ?? "", contentType: "video/mp4", bytes: file))
        return WireRequest(
            method: "POST", url: fields["url"] ?? "",
            headers: [.init(name: "Content-Type", value: body.contentType)], body: body.bytes)
    }

    /// What the server's answer means (`file_uploads.php`, `ResponsesStoreFS::uploadFile`).
    static func verdict(_ answer: ESMiraAnswer) -> Verdict {
        switch answer {
        case .dataset: return .delivered(receipt: "200 success")
        case .unreadable(let why): return .retry(reason: why)
        case .failed(let error) where error.contains("Not allowed"):
            return .refused(
                reason:
                    "\(error): the server does not expect this file: it already has it, or never accepted the answers that refer to it"
            )
        case .failed(let error):
            let isForGood = ["too big", "Wrong format", "Unknown type", "already exists", "No content", "Missing data"]
            return isForGood.contains { error.contains($0) } ? .refused(reason: error) : .retry(reason: error)
        }
    }
}
