// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials

/// The lines of the control socket: `{"version":1,"content":…}` with a `ControlRequest` from the
/// command, a `ControlAnswer` back.
package enum ControlLine {
    /// The most bytes of a request.
    static let limit = 1 << 20
    /// Command and agent may be of different packages while one is installed.
    private static let version = 1

    private struct Message<Content: Codable>: Codable {
        let version: Int
        let content: Content
    }

    static func line(_ content: some Codable) -> [UInt8] {
        let data = try? JSONEncoder().encode(Message(version: version, content: content))
        return (data.map { Array($0) } ?? []) + [UInt8(ascii: "\n")]
    }

    /// Throws for what is no line of this version.
    static func content<Content: Codable>(_ line: [UInt8], _ kind: Content.Type = Content.self) throws -> Content {
        guard let message = try? JSONDecoder().decode(Message<Content>.self, from: Data(line)),
            message.version == version
        else {
            throw ControlFault(
                "the running studyd and this command are of different versions; nothing was changed",
                remedy: "restart studyd (systemctl restart studyd), then try again")
        }
        return message.content
    }
}

/// Why a command, in the running agent or without one, does not do what was asked.
struct ControlFault: ExplainedError {
    let explanation: Explanation

    init(_ cause: String, remedy: String? = nil) { explanation = Explanation(cause: cause, remedy: remedy) }
}
