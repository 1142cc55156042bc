// SPDX-License-Identifier: Apache-2.0
import NIOCore

/// How fast a client brings the body of one request, or takes its answer; `ConnectionDeadlines` closes the
/// connection of one that is too slow. Time counts only while the server waits for the client. Pure.
///
/// The least rate doubles with each `patience` of waiting, three times: a client may be slow for a
/// while, but not for long.
struct ClientPace: Sendable {
    /// Bytes per second over the first `patience`.
    private let least: Int
    private let patience: TimeAmount
    private var waited = TimeAmount.zero
    private var bytes = 0
    /// The same since the rate was last checked.
    private var (windowWaited, windowBytes) = (TimeAmount.zero, 0)
    private var doublings = 0
    /// The server has been waiting for the client since then; nil while it is not.
    private(set) var waitingSince: NIODeadline?

    /// How often the least rate doubles.
    private static let mostDoublings = 3
    /// A rate over a shorter time says nothing.
    private static let shortestMeasure = TimeAmount.seconds(2)

    init(_ limits: ServerLimits) {
        least = limits.slowestBody
        patience = TimeAmount(limits.bodyPatience)
    }

    /// The server now waits for the client; does nothing where it does already.
    mutating func wait(since now: NIODeadline) { if waitingSince == nil { waitingSince = now } }

    /// The client has brought or taken `count` bytes, which ends the waiting. False when it is too slow: the caller
    /// closes the connection.
    mutating func receive(_ count: Int, at now: NIODeadline) -> Bool {
        let pause = waitingSince.map { now - $0 } ?? .zero
        waitingSince = nil
        (waited, bytes) = (waited + pause, bytes + count)
        (windowWaited, windowBytes) = (windowWaited + pause, windowBytes + count)
        guard windowWaited >= patience else { return true }
        defer {
            (windowWaited, windowBytes) = (.zero, 0)
            doublings = min(doublings + 1, Self.mostDoublings)
        }
        return Double(windowBytes) >= Double(least << doublings) * Self.seconds(windowWaited)
    }

    /// Bytes per second so far; nil where that cannot be said yet.
    func rate(at now: NIODeadline) -> Double? {
        let whole = waited + (waitingSince.map { now - $0 } ?? .zero)
        return whole < Self.shortestMeasure ? nil : Double(bytes) / Self.seconds(whole)
    }

    private static func seconds(_ time: TimeAmount) -> Double { Double(time.nanoseconds) / 1e9 }
}
