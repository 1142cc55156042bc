// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Times work and prints a JSON line for it.
struct Stopwatch {
    private static let clock = SystemClock()
    /// How long one figure is measured, and the least number of rounds that it needs.
    private static let length = Duration.seconds(1)
    private static let fewestRounds = 3

    /// Things per second of the best of several rounds: other work on the computer makes rounds
    /// slower, nothing makes them faster.
    ///
    /// `round` does its work once and returns how many things it did.
    static func rate(_ round: () throws -> Int) rethrows -> Double {
        _ = try round()
        let start = clock.monotonic
        var best = 0.0
        var rounds = 0
        while rounds < fewestRounds || clock.monotonic - start < length {
            let began = clock.monotonic
            let count = try round()
            best = max(best, Double(count) / max((clock.monotonic - began).seconds, 1e-9))
            rounds += 1
        }
        return best
    }

    /// The same for work that waits.
    static func rate(isolation: isolated (any Actor)? = #isolation, _ round: () async throws -> Int) async rethrows
        -> Double
    {
        _ = try await round()
        let start = clock.monotonic
        var best = 0.0
        while clock.monotonic - start < length {
            let began = clock.monotonic
            let count = try await round()
            best = max(best, Double(count) / max((clock.monotonic - began).seconds, 1e-9))
        }
        return best
    }
}

/// One figure, as a JSON line.
struct Figure {
    let name: String
    let value: Double
    let unit: String
    /// What the value is to be compared with, such as real time: how many times more it
    /// is, and of what.
    var ratio: (times: Double, peer: String)?
    /// A value above it fails the run.
    var limit: Double?
    /// A value below it fails the run.
    var least: Double?

    /// False when the value is beyond its limit.
    var holds: Bool { value <= limit ?? .infinity && value >= least ?? -.infinity }

    /// The line, with four significant digits.
    var line: String {
        var members: [JSONText.Member] = [
            .init("name", .string(name)), .init("value", .number(Self.rounded(value))), .init("unit", .string(unit)),
        ]
        if let limit { members.append(.init("limit", .number(Self.rounded(limit)))) }
        if let least { members.append(.init("least", .number(Self.rounded(least)))) }
        if let ratio {
            members.append(.init("ratio", .number(Self.rounded(ratio.times))))
            members.append(.init("peer", .string(ratio.peer)))
        }
        return JSONText.object(members).text
    }

    private static func rounded(_ value: Double) -> Double {
        var unit = 1.0
        while abs(value) / unit >= 10_000 { unit *= 10 }
        while value != 0, abs(value) / unit < 1_000 { unit /= 10 }
        return unit >= 1 ? (value / unit).rounded() * unit : (value / unit).rounded() / (1 / unit).rounded()
    }
}
