// SPDX-License-Identifier: Apache-2.0

/// How the lab's receiver signs which row a device's event log had reached at which time: what is up to that
/// row cannot be rewritten without the receiver's key. `ReceiverKey` makes one in the lab; the device keeps it,
/// and `ConfirmedRows` checks it.
///
///     Studyd-Countersigned: <log> <number>:<hash> <time> <device's key> <receiver's key> <signature>
///
/// The first two words are those of the device's `Studyd-Log`; the time is in seconds since 1970, by
/// the receiver's clock; keys are Ed25519's in hexadecimal; the signature, in base 64, is over
/// `signed`.
package struct Countersignature: Sendable, Hashable {
    package static let field = "Studyd-Countersigned"
    private static let longest = 500
    package let log: String
    package let sequence: Int64
    package let hash: String
    package let time: Instant
    package let device: String
    package let receiver: String
    /// 64 bytes in base 64.
    package var signature = ""

    package init(log: String, sequence: Int64, hash: String, time: Instant, device: String, receiver: String) {
        (self.log, self.sequence, self.hash) = (log, sequence, hash)
        (self.time, self.device, self.receiver) = (time, device, receiver)
    }

    /// Nil for what does not have that form.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        // An `Instant` holds no later second.
        guard text.utf8.count <= Self.longest, words.count == 6, let seconds = Int64(words[2]),
            (0...9_223_372_036).contains(seconds)
        else { return nil }
        let row = words[1].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard row.count == 2, let sequence = Int64(row[0]), sequence > 0 else { return nil }
        self.init(
            log: words[0], sequence: sequence, hash: row[1], time: Instant(seconds: seconds), device: words[3],
            receiver: words[4])
        signature = words[5]
    }

    private var statement: String {
        "\(log) \(sequence):\(hash) \(time.milliseconds / 1000) \(device) \(receiver)"
    }

    /// The bytes under the signature.
    package var signed: [UInt8] { Array("studyd-countersigned-1 \(statement)".utf8) }

    package var text: String { "\(statement) \(signature)" }
}
