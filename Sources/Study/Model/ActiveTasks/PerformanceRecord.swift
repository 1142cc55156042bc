// SPDX-License-Identifier: Apache-2.0
import Base

/// What came out of one kind of active task, event by event; each kind has its own record type
/// (`ActiveTaskCatalog.records`). Times are measured on CLOCK_MONOTONIC, from a beginning that each record
/// names.
package protocol PerformanceRecord: LoggedRecord {
    /// Under which name it is kept in the event log; never changes.
    static var kind: String { get }
    /// The single values of its result, in the order in which platforms send them; charts show them, too.
    var figures: [PerformanceFigure] { get }
    /// What the figures were reached under, where that depends on the board; platforms
    /// send it beside them.
    var conditions: [JSONText.Member] { get }
    /// The name of the figure that tells most.
    var mainFigure: String { get }
    /// Everything, for the result tree.
    var fields: [JSONText.Member] { get }
}

extension PerformanceRecord {
    /// The same on every board.
    package var conditions: [JSONText.Member] { [] }
}

/// One value of a result, by its name, for platforms (MyStudies, Sage) and charts.
package struct PerformanceFigure: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case whole(Int64)
        case number(Double)
        case truth(Bool)
        case none
    }
    /// As ResearchKit names it, where it does.
    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }

    /// As a number, a truth as 1 or 0; nil where nothing was measured.
    package var number: Double? {
        switch value {
        case .whole(let number): Double(number)
        case .number(let number): number
        case .truth(let isTrue): isTrue ? 1 : 0
        case .none: nil
        }
    }
}
