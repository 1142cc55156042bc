// SPDX-License-Identifier: Apache-2.0

/// A date that a study's server knows of a participant, and from which schedules count.
package struct ServerVariable: Sendable, Hashable {
    /// The variable that keeps it.
    package let variable: String
    /// Where the server keeps it.
    package let table: String
    package let column: String
    /// The column of the value that an external system gave it for; a new one is a new date beside
    /// those before. Empty where there is none.
    package let externalColumn: String
    /// The column of the day on which it was entered; empty where there is none.
    package let entryColumn: String
    /// It is asked for again after it is known.
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
