// SPDX-License-Identifier: Apache-2.0

/// A date that a study's server knows of a participant, and from which schedules count; MyStudies'
/// `StudyServer` asks for it.
package struct ServerVariable: Sendable, Hashable {
    /// The variable of the participant in which the date is kept on the device.
    package let variable: String
    /// The table and column in which the server has the date.
    package let table: String
    package let column: String
    /// The column of a value of the external system that goes with the date (a visit's number, say): where that
    /// value has changed, the date is added to the earlier ones; else it replaces the last. Empty where there is none.
    package let externalColumn: String
    /// The column of the day on which it was entered; empty where there is none.
    package let entryColumn: String
    /// The server is asked again even when the date is known, since it may change.
    package let refreshes: Bool

    package init(
        variable: String, table: String, column: String, externalColumn: String = "", entryColumn: String = "",
        refreshes: Bool = false
    ) {
        self.variable = variable
        self.table = table
        self.column = column
        self.externalColumn = externalColumn
        self.entryColumn = entryColumn
        self.refreshes = refreshes
    }
}
