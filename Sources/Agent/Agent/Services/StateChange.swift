// SPDX-License-Identifier: Apache-2.0
import Logging

/// A change of the device's state. `StateWatch` writes each once to the journal, with fields by which
/// `journalctl MESSAGE_ID=…` finds it. docs/device-health.md has the table.
package struct StateChange: Sendable, Hashable {
    /// The raw value is the journal's `STUDYD_STATE`.
    package enum Kind: String, Sendable, CaseIterable {
        case enrolled
        case left
        case clockUnknown = "clock-unknown"
        case synchronised
        case promptsPaused = "prompts-paused"
        case promptsResumed = "prompts-resumed"
        case partFails = "part-fails"
        case partWorks = "part-works"
        case outboxHeld = "outbox-held"
        case outboxMoves = "outbox-moves"
        case diskLow = "disk-low"
        case diskRoom = "disk-room"
        case revoked
        case accepted

        /// Fixed for ever: scripts search by it.
        package var messageID: String { entry.messageID }
        var level: Logger.Level { entry.level }
        var words: String { entry.words }

        private var entry: (messageID: String, level: Logger.Level, words: String) {
            switch self {
            case .enrolled: ("456a9232cacb4dc68d24b7c947a6c20d", .notice, "enrolled")
            case .left: ("9ba878c4817f4a1db6bd461a8f7ddb4f", .notice, "the study was left")
            case .clockUnknown: ("eaed696125b7467fa6ecb679d22bbce2", .warning, "the clock is not synchronised")
            case .synchronised: ("60d508ff14e341ae96a64e33062b2341", .notice, "the clock is synchronised")
            case .promptsPaused: ("07663ed947604381919dbd550a7fae5c", .warning, "prompts are paused")
            case .promptsResumed: ("6ae29bd8151847cfb09e970b66812eba", .notice, "prompts resumed")
            case .partFails: ("1eb6432e4bf14bedab0b8f2c0541c50a", .error, "hardware")
            case .partWorks: ("044b8570609946829b17c370cab83123", .notice, "works again")
            case .outboxHeld: ("f603947ee06f426585e78eed5b3ee678", .warning, "nothing gets through to a server")
            case .outboxMoves: ("f81db0eeaef441b78a06db42f84c708d", .notice, "what waited is on its way again")
            case .diskLow: ("91f15a79cb994b889d4ecb788240ab56", .warning, "the disk is nearly full")
            case .diskRoom: ("e825ac5602944640972133ae3b874b6a", .notice, "the disk has room again")
            case .revoked:
                (
                    "7c01841838004eb786d19ce1db09604c", .error,
                    "the lab's receiver refuses this device; everything is kept"
                )
            case .accepted: ("201b5dbef2514580a0899a2a4dc8d81e", .notice, "the lab's receiver takes reports again")
            }
        }
    }

    package let kind: Kind
    /// Names in small letters; the journal has them as `STUDYD_NAME`.
    package let details: [String: String]

    package init(_ kind: Kind, _ details: [String: String] = [:]) {
        (self.kind, self.details) = (kind, details)
    }
}

extension Logger {
    /// The metadata key that makes a line an entry of the journal with fields.
    static let messageID = "MESSAGE_ID"
    static let stateField = "STUDYD_STATE"

    func record(_ change: StateChange) {
        var metadata = change.details.mapValues { Logger.MetadataValue.string($0) }
        metadata[Self.messageID] = .string(change.kind.messageID)
        metadata[Self.stateField] = .string(change.kind.rawValue)
        log(level: change.kind.level, "\(change.kind.words)", metadata: metadata)
    }
}
