// SPDX-License-Identifier: Apache-2.0

/// Bounds on time and size of one request and its answer; `HTTPClient` and `Transfer` keep to them.
package struct HTTPLimits: Sendable, Hashable {
    /// Until the connection is open, TLS included.
    package var connect: Duration = .seconds(20)
    /// Until everything is done; `total(for:)` adds to it for large bodies.
    package var total: Duration = .seconds(300)
    /// Bytes per second that a body takes at the slowest.
    private static let slowestUpload: Int64 = 500
    /// How long it may run at fewer than `slowestRate` bytes a second, in whole seconds. Looked at
    /// once in this time (`StallWatch`), so what stops in between has up to twice as long.
    package var slow: Duration = .seconds(30)
    /// Bytes per second.
    package var slowestRate = 10
    /// An answer with more bytes is broken off.
    package var maximumResponse = 1_048_576
    /// This many first bytes of an answer are kept.
    package var keptResponse = 65_536

    package init() {}

    func total(for length: Int64) -> Duration { total + .seconds(length / Self.slowestUpload) }

    /// For the download of a study: the whole answer is kept, up to 16 MiB.
    package static var download: HTTPLimits {
        var limits = HTTPLimits()
        limits.total = .seconds(120)
        limits.maximumResponse = 16 << 20
        limits.keptResponse = 16 << 20
        return limits
    }
}
