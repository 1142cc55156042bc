// SPDX-License-Identifier: Apache-2.0
import Base

/// What `TakeoverSurvey` has found out about the machine and the files of a setup folder (see `FolderTakeover`), for
/// `TakeoverPlan` to decide on.
package struct TakeoverFacts: Sendable {
    /// Who takes part on this device, or did last.
    package struct Participation: Sendable, Hashable {
        package let participant: String
        /// The study's own id; nil while its server has not said it.
        package let study: String?
        package var hasLeft = false
    }
    package enum Study: Sendable, Hashable {
        /// `setup.toml` names an address: the study is on a server, and was not looked at.
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

    /// The participant, also one whose enrolment waits for a network; nil = the device never had one.
    package var participation: Participation?
    /// The first line of `device.key` in the state folder; nil = there is no such file.
    package var deviceKey: String?
    /// Bytes on the disk of the state folder; nil = unknown.
    package var freeBytes: Int64?
    package var isClockTrusted = true
    /// There is a wired interface, or a Wi-Fi is set up.
    package var hasNetwork = true
    /// The text of `network-config` beside the folder; nil = there is none.
    package var networkFile: String?
    /// `networkFile` names a Wi-Fi in vain: it is not on the boot partition, or came after cloud-init's first boot.
    package var isNetworkFileUnused = false
    /// The name of the Wi-Fi in such a file, where studyd wrote the file and the system has no Wi-Fi of that name;
    /// else nil.
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
