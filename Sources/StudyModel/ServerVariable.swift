// SPDX-License-Identifier: Apache-2.0

/// A date that a study's server knows of a participant, and from which schedules count.
public struct ServerVariable: Sendable, Hashable {
    /// The variable that keeps it.
    public let variable: String
    /// Where the server keeps it.
    public let table: String
    /// In which column.
    public let column: String
    /// The column of the value that an external system gave it for; a new one is a new date beside those before. Empty where there is none.
    public let externalColumn: String
    /// The column of the day on which it was entered; empty where there is none.
    public let entryColumn: String
    /// It is asked for again after it is known.
    public let refreshes: Bool

    public init(
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
