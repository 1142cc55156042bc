// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A configuration that `studyd init` writes, and `studyd takeover` (the set-up of a device from a folder): its
/// options, and everything measured that the board has.
package struct ConfigurationDraft: Sendable {
    package var board: String
    package var state = AgentConfiguration.defaultState
    /// Name of the participant's zone; nil = the system's.
    package var zone: String?
    /// Address of the lab's receiver, with or without its `/files`: it gets recordings and reports;
    /// nil = both stay on the device.
    package var receiver: String?
    /// The language of the device's own words: `de`; nil = English.
    package var language: String?
    /// Everything is encrypted to these; empty = nothing is.
    package var recipients: [AgeRecipient] = []

    package init(board: String) { self.board = board }

    /// The file, which `AgentConfiguration` reads.
    package var text: String {
        var lines = [
            "# Written by 'studyd init'. All keys are explained in /usr/share/studyd/studyd.toml.", "",
            "board = \(Self.quoted(board))", "state = \(Self.quoted(state))",
        ]
        if let zone { lines.append("zone = \(Self.quoted(zone))") }
        lines += [
            "", "[clock]", "# true where the system's clock is right without NTP, RTC and GPS.", "trust_system = false",
        ]
        if let receiver = receiver.map(Self.plain) {
            lines += ["", "[upload]", "recordings = \(Self.quoted(receiver + "/files"))"]
            lines += ["", "[report]", "url = \(Self.quoted(receiver))"]
        }
        if !recipients.isEmpty { lines += ["", "[seal]", "recipients = \(Self.list(recipients))"] }
        if let language { lines += ["", "[speech]", "language = \(Self.quoted(language))"] }
        lines += Self.measure("accelerometer") + Self.measure("magnetometer")
        lines += Self.measure("sound", "format = \"levels\"             # \"flac\" keeps the sound itself")
        lines += Self.measure("position")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Without a final `/files`, and without slashes at the end.
    private static func plain(_ address: String) -> String {
        ["/", "/files", "/"].reduce(address) { $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0 }
    }

    /// A table with `optional = true`: a board without such a part does not refuse it.
    private static func measure(_ channel: String, _ more: String...) -> [String] {
        ["", "[[measure]]", "channel = \"\(channel)\""] + more + ["optional = true", "rotate = \"24h\""]
    }

    static func list(_ recipients: [AgeRecipient]) -> String {
        "[" + recipients.map { quoted("\($0)") }.joined(separator: ", ") + "]"
    }

    /// A basic string of TOML; YAML reads it as the same text.
    package static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\0"..<" ", "\u{7F}": "\\u" + scalar.value.padded(4, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
