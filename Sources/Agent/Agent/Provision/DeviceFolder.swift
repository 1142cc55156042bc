// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// What is to be copied onto the boot partition of one device; `studyd provision` writes it.
package struct DeviceFolder: Sendable {
    private let entry: ParticipantList.Entry
    /// The study's file as it is kept; nil where it is fetched by the device.
    private let study: [UInt8]?
    /// The board's own file; nil for one that comes with studyd.
    private let board: [UInt8]?
    private let consent: [UInt8]?
    private let key: DeviceKey
    private let recipients: [AgeRecipient]

    package init(
        _ entry: ParticipantList.Entry, study: [UInt8]?, board: [UInt8]?, consent: [UInt8]?,
        key: DeviceKey = DeviceKey(), encryptedTo recipients: [AgeRecipient] = []
    ) {
        (self.recipients, self.entry, self.study) = (recipients, entry, study)
        (self.board, self.consent, self.key) = (board, consent, key)
    }

    package var files: [(path: String, bytes: [UInt8])] {
        var files: [(path: String, bytes: [UInt8])] = [("studyd/" + SetupFile.name, Array(setup.utf8))]
        if let study { files.append(("studyd/study.json", study)) }
        if let board { files.append(("studyd/board.toml", board)) }
        if let consent { files.append(("studyd/consent.json", consent)) }
        if let wifi = entry.wifi { files.append(("network-config", Array(wifi.text.utf8))) }
        return files
    }

    /// The device's line in the list of keys, which `study-receiver devices import` reads.
    package var keyLine: String { "\(entry.participant),\(key.publicText)" }

    private var setup: String {
        var lines = [
            "# Written by 'studyd provision'; docs/first-use.md explains the keys.",
            line("participant", entry.participant), line("study", study == nil ? entry.study : "study.json"),
            line("board", board == nil ? entry.board : "board.toml"), line("device_key", key.text),
        ]
        if consent != nil { lines.append(line("consent", "consent.json")) }
        for (key, value) in [("receiver", entry.receiver), ("zone", entry.zone), ("language", entry.language)] {
            if let value { lines.append(line(key, value)) }
        }
        if !recipients.isEmpty { lines.append("seal = \(ConfigurationDraft.list(recipients))") }
        if entry.holdTimes != .usual { lines.append(line("hold_times", entry.holdTimes.rawValue)) }
        if !entry.options.isEmpty { lines += ["", "[options]"] }
        lines += entry.options.sorted { $0.key < $1.key }.map { line($0.key, $0.value) }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    private func line(_ key: String, _ value: String) -> String { "\(key) = \(ConfigurationDraft.quoted(value))" }
}
