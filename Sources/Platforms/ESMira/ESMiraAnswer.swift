// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a server of ESMira answers, for `ESMiraServer` (calls) and `ESMiraWire` (uploads): always with status
/// 200, `{"success":true,"serverVersion":11,"dataset":…}` or `{"success":false,"error":"…"}`.
enum ESMiraAnswer {
    case dataset(JSONNode)
    /// In the server's words.
    case failed(String)
    /// No answer of ESMira's; why, in words.
    case unreadable(String)

    init(_ body: [UInt8]) {
        guard body.contains(where: { $0 > 32 }) else {
            self = .unreadable("the server's answer is empty")
            return
        }
        guard let root = try? JSONNode(body), let success = root["success"]?.boolean else {
            self = .unreadable("this is not an answer from ESMira: it does not say whether the request worked")
            return
        }
        if success {
            self = root["dataset"].map(Self.dataset) ?? .unreadable("the server's answer contains no dataset")
        } else if let error = root["error"]?.text {
            self = .failed(String(error.prefix(500)))
        } else {
            self = .failed("the server refused without giving a reason")
        }
    }

    /// The message for a server that refuses this program's protocol version.
    static func outdated(_ error: String) -> String {
        "\(error): the server requires a newer protocol than \(ESMiraWire.level), which this program speaks; a newer program is needed"
    }
}
