// SPDX-License-Identifier: Apache-2.0

/// What one client may cost an `HTTPServer`. The defaults suit a small lab server or a page on a device.
struct ServerLimits: Sendable {
    /// Connections at once. To make room for another, the one that has waited longest for its
    /// client is closed or, within requests, the one with the slowest client; where all are
    /// answering, the new one is closed.
    var connections = 256
    /// At most this many of them from one address, enforced in the same way, so that one client
    /// cannot shut out others.
    var connectionsPerClient = 64
    /// Bytes of all header names and values of one request.
    var headBytes = 32 * 1024
    /// Header fields of one request.
    var headFields = 100
    /// Bytes of a body, for routes that state no other limit.
    var bodyBytes = 1024 * 1024
    /// Bytes of an unread body that are thrown away after the answer before the
    /// connection is closed.
    var drainedBytes = 1024 * 1024
    /// How long a head may take to arrive; also how long an idle connection is kept.
    var headTime: Duration = .seconds(30)
    /// How long a client may pause within a body, or leave an answer unread.
    var idleTime: Duration = .seconds(30)
    /// Bytes a second that a body has to bring, and an answer has to be taken at, over the first
    /// `bodyPatience` of waiting for the client; twice as many over the next, up to eight times.
    var slowestBody = 50
    var bodyPatience: Duration = .seconds(60)
    /// How long answers under way may take after `stop`.
    var graceTime: Duration = .seconds(5)
}
