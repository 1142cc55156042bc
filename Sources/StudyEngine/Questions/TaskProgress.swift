// SPDX-License-Identifier: Apache-2.0

/// Figures that an active task keeps so that it can go on after a restart. Each time they are told they become a row of the event log.
public struct TaskProgress: Sendable, Hashable {
    /// The rows' own name, of the task's choice.
    public let name: String
    /// The task alone reads them.
    public let values: [String: Double]

    public init(name: String, values: [String: Double]) {
        self.name = name
        self.values = values
    }
}

/// What is left of a performance that a restart broke off.
public struct BrokenPerformance: Sendable, Hashable {
    /// What was told of it so far, the oldest first.
    public let rows: [[String: Double]]
    /// For how long nothing was told since; nil where no clock can tell.
    public let off: Duration?

    /// A performance of which these rows are left.
    public init(rows: [[String: Double]], off: Duration?) {
        self.rows = rows
        self.off = off
    }
}
