// SPDX-License-Identifier: Apache-2.0

/// A fault that the server simulates, to try out how devices cope with it: `--fault`, or a POST to
/// `/control/fault`.
struct Fault: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Nothing is taken; the answer is this status.
        case status(Int)
        /// Nothing is taken; no answer comes for a long time.
        case hang
        /// Nothing is taken; the connection is closed.
        case close
        /// All is taken, but the answer is lost on its way: how duplicates come to be.
        case lost
    }

    let kind: Kind
    /// The probability, 0...1, with which a request meets it.
    let share: Double
}

extension Fault: CustomStringConvertible {
    /// `500`, `503:0.3`, `hang`, `close:0.1`, `lost:0.5`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let share = parts.count == 2 ? Double(parts[1]) : 1, (0...1).contains(share) else {
            return nil
        }
        self.share = share
        switch parts[0] {
        case "hang": kind = .hang
        case "close": kind = .close
        case "lost": kind = .lost
        default:
            guard let status = Int(parts[0]), (400...599).contains(status) else { return nil }
            kind = .status(status)
        }
    }

    var description: String {
        if case .status(let status) = kind { "\(status):\(share)" } else { "\(kind):\(share)" }
    }
}
