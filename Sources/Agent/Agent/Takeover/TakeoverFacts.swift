// SPDX-License-Identifier: Apache-2.0
import Base

/// What `FolderTakeover` has found out about the machine and the folder's files, for `TakeoverPlan` to decide
/// on.
package struct TakeoverFacts: Sendable {
    /// Who takes part on this device, or did last.
    package struct Participation: Sendable, Hashable {
        package let participant: String
        /// The study's own id; nil while its server has not said it.
        package let study: String?
        package var hasLeft = false
    }
    package enum Study: Sendable, Hashable {
        /// It is on a server, and was not looked at.
        case address
        case missing
        case unreadable(Explanation)
        /// Its id, and why this board cannot run it; empty = it can.
        case read(id: String, refusals: [String])
    }
    package enum Board: Sendable, Hashable {
        /// There is no board of that name; these are the names that there are.
        case unknown([String])
        /// Its file is wrong, or it is simulated.
        case unusable(Explanation)
        case known(Parts)
    }
    /// How the parts of the board were found.
    package struct Parts: Sendable, Hashable {
        /// Device files of I2C buses that are not there.
        package var missingBuses: [String] = []
        /// Chips that are not what the board's file says.
        package var wrongChips: [Explanation] = []
    }

    /// The participant; nil = the device was never enrolled.
    package var participation: Participation?
    package var deviceKey: String?
    /// Bytes on the disk of the state folder; nil = unknown.
    package var freeBytes: Int64?
    package var isClockTrusted = true
    /// A cable, or a Wi-Fi with a known name and password.
    package var hasNetwork = true
    /// The text of `network-config` beside the folder; nil = there is none.
    package var networkFile: String?
    /// It names a Wi-Fi, and lies where cloud-init does not read it, or came too late.
    package var isNetworkFileUnused = false
    /// Its Wi-Fi, where the system knows none of that name either; nil = none is passed over.
    package var ignoredWiFi: String?
    /// The text of `config.txt` beside the folder; nil = there is none.
    package var bootConfig: String?
    package var board: Board = .known(Parts())
    package var study: Study = .address
    /// What is wrong with the file that `consent` names; nil = nothing.
    package var consent: Explanation?
    /// What is wrong with the configuration that would be written; nil = nothing.
    package var configuration: Explanation?
}
