// SPDX-License-Identifier: Apache-2.0

/// What one client may cost. The defaults suit a small lab server or a page on a device.
public struct ServerLimits: Sendable {
    /// Connections at once. For a further one the oldest is closed that waits for its client; where every one is answering, the new one is.
    public var connections = 256
    /// Of these from one address, in the same way, so that one client shuts nobody out.
    public var connectionsPerClient = 64
    /// Bytes of all header names and values of one request.
    public var headBytes = 32 * 1024
    /// Header fields of one request.
    public var headFields = 100
    /// Bytes of a body, for routes that state no limit of their own.
    public var bodyBytes = 1024 * 1024
    /// Bytes of an unread body that are thrown away after the answer before the connection is closed.
    public var drainedBytes = 1024 * 1024
    /// How long a head may take to arrive; also how long an idle connection is kept.
    public var headTime: Duration = .seconds(30)
    /// How long a client may pause within a body, or leave an answer lying.
    public var idleTime: Duration = .seconds(30)
    /// Bytes a second that a body has to bring, over each `bodyPatience` of waiting for it.
    public var slowestBody = 50
    /// See `slowestBody`.
    public var bodyPatience: Duration = .seconds(60)
    /// How long answers under way may take after `stop`.
    public var graceTime: Duration = .seconds(5)

    /// The defaults.
    public init() {}
}
