// SPDX-License-Identifier: Apache-2.0
import Base

/// Something about a device that a person of the lab has to look at: `FleetRules` finds it, the page and
/// `/api/fleet` show it.
struct Attention: Sendable, Hashable {
    /// In the order in which they are shown, the most urgent first.
    enum Kind: String, Sendable, CaseIterable {
        case deletion, revoked, cloned, silent
        case underVoltage = "under-voltage"
        case disk, battery, fault, clock, compliance
        case falling = "falling-compliance"
        case version

        /// The most urgent has 0.
        var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The priority of a notice in ntfy: 5 is the most urgent, 3 the usual one.
        var priority: Int {
            switch self {
            case .cloned, .silent: 5
            case .deletion, .revoked, .underVoltage, .disk, .fault: 4
            case .battery, .clock, .compliance, .falling: 3
            case .version: 2
            }
        }

        /// For a headline.
        var words: String {
            switch self {
            case .deletion: "asked for deletion"
            case .underVoltage: "under-voltage"
            case .disk: "low disk"
            case .battery: "low battery"
            case .clock: "unknown clock"
            case .compliance: "low compliance"
            case .falling: "falling compliance"
            case .version: "old version"
            default: rawValue
            }
        }
    }

    let kind: Kind
    /// What of the device it is about, where it can have several: a fault's place.
    var part = ""
    let since: Instant
    /// One line for people.
    let text: String

    /// The same, since the earlier of `noticed` and its own time: a report that repeats it does not make it new.
    func backdated(to noticed: Instant?) -> Attention {
        Attention(kind: kind, part: part, since: noticed.map { min($0, since) } ?? since, text: text)
    }

    /// Unique among everything about one device.
    var key: String { part.isEmpty ? kind.rawValue : "\(kind.rawValue):\(part)" }
}
