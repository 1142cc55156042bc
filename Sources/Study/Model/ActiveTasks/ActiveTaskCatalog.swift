// SPDX-License-Identifier: Apache-2.0

/// The kinds of active tasks, one line each, by which `Performance` reads the log.
package enum ActiveTaskCatalog {
    /// What comes out of them; how they are performed is with their rules (`ActiveTaskPlay`).
    package static let records: [any PerformanceRecord.Type] = [
        KickRecord.self,
        SpanRecord.self,
        HanoiRecord.self,
        VigilanceRecord.self,
        TimedStepRecord.self,
        ReactionTimeRecord.self,
        GoNoGoRecord.self,
        TimedWalkRecord.self,
        PSATRecord.self,
    ]
}
