// SPDX-License-Identifier: Apache-2.0
import Base

/// Collects for `StatusReader` what `studyd status` says, fact by fact, in both forms: members of one JSON object
/// (`--json`), and lines for people.
struct AgentStatus {
    private var members: [JSONText.Member] = []
    private var lines: [String] = []
    private var table = ""

    var json: JSONText { .object(members) }
    var text: String { lines.joined(separator: "\n") + "\n" + table }

    mutating func add(_ line: String, _ members: JSONText.Member...) { add([line], members) }

    mutating func add(_ lines: [String], _ members: JSONText.Member...) { add(lines, members) }

    mutating func add(_ lines: [String], _ members: [JSONText.Member]) {
        self.lines += lines.map { $0.shown(indent: 12) }
        self.members += members
    }

    /// Adds the table that is printed below all lines; called once, last.
    mutating func end(_ table: String, _ member: JSONText.Member) {
        self.table = table
        members.append(member)
    }
}
