// SPDX-License-Identifier: Apache-2.0
import Study

/// Fetches a study as the app does. Blocks: call it on a separate thread.
struct SchemaServer: StudyServer {
    private let device: any PlatformDevice

    init(_ device: any PlatformDevice) { self.device = device }

    /// The file at that address; it names its platform.
    func offer(_ request: JoinRequest) throws -> JoinOffer { JoinOffer(bytes: try study(at: request.source)) }

    /// The app sends a POST with `seed=f2d91e73`; a server that takes no POST there, or answers it
    /// with something else than JSON, is asked by GET, as momenTUM's app asks.
    func study(at url: String) throws -> [UInt8] {
        let form = WireRequest.Header(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let posted = try device.download(
            WireRequest(method: "POST", url: url, headers: [form], body: Array("seed=f2d91e73".utf8)))
        let isStudy = (200...299).contains(posted.status) && Self.looksLikeJSON(posted.body)
        return isStudy ? posted.body : try device.get(url)
    }

    /// It begins with a brace, after white space and a byte order mark.
    private static func looksLikeJSON(_ body: [UInt8]) -> Bool {
        let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    }
}
