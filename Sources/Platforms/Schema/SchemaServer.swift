// SPDX-License-Identifier: Apache-2.0
import Study

/// Fetches a study as the app does, for `StudyFinder` when a device is enrolled. Blocks: call it on a separate
/// thread.
struct SchemaServer: StudyServer {
    private let device: any PlatformDevice

    init(_ device: any PlatformDevice) { self.device = device }

    /// The platform is recognised from the file at that address.
    func offer(_ request: JoinRequest) throws -> JoinOffer { JoinOffer(bytes: try study(at: request.source)) }

    /// The app sends a POST with `seed=f2d91e73`; where that gives no JSON object, a GET follows, as
    /// momenTUM's app sends it.
    func study(at url: String) throws -> [UInt8] {
        let form = WireRequest.Header(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let posted = try device.download(
            WireRequest(method: "POST", url: url, headers: [form], body: Array("seed=f2d91e73".utf8)))
        let isStudy = (200...299).contains(posted.status) && Self.looksLikeObject(posted.body)
        return isStudy ? posted.body : try device.get(url)
    }

    /// True where it begins with a brace, after a byte order mark and white space.
    private static func looksLikeObject(_ body: [UInt8]) -> Bool {
        let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    }
}
