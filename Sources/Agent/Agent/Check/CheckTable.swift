// SPDX-License-Identifier: Apache-2.0
import Base

/// The findings of `studyd check` as a table for people: result, part, name, what was seen; the remedy is on the next
/// line.
package struct CheckTable: Sendable {
    private let findings: [CheckFinding]
    private let isColoured: Bool

    /// A table of these findings, in their order; `isColoured` on a terminal that takes colours.
    package init(_ findings: [CheckFinding], isColoured: Bool) {
        (self.findings, self.isColoured) = (findings, isColoured)
    }

    package var lines: [String] { findings.flatMap(rows) + ["", findings.summary] }

    private func rows(_ finding: CheckFinding) -> [String] {
        let head = padded(finding.result.rawValue, 8)
        let part = padded(finding.subject.part.rawValue, partWidth)
        let name = padded(finding.subject.name.shown, nameWidth)
        let first = paint(head, finding.result) + part + name + finding.detail.shownLines
        guard let remedy = finding.remedy else { return [first] }
        return [first, padded("", 8 + partWidth + nameWidth) + "→ " + remedy.shownLines]
    }

    private var partWidth: Int { (findings.map(\.subject.part.rawValue.count).max() ?? 0) + 2 }
    private var nameWidth: Int { min(24, findings.map(\.subject.name.shown.count).max() ?? 0) + 2 }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private func paint(_ text: String, _ result: CheckFinding.Result) -> String {
        guard isColoured else { return text }
        // ECMA-48 SGR: green, yellow, red, faint.
        let colour =
            switch result {
            case .ok: 32
            case .warning: 33
            case .failed: 31
            case .skipped: 2
            }
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }
}
