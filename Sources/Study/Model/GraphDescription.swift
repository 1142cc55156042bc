// SPDX-License-Identifier: Apache-2.0

/// A graph of one question's numeric answers over time, as the study describes it; `studyd history` draws it
/// (`GraphSeries`).
package struct GraphDescription: Sendable, Hashable {
    /// How the points are drawn: `bar` from zero to each value, `line` from point to point.
    package enum Kind: String, Sendable { case bar, line }
    package let kind: Kind
    package let question: String
    /// Heading of the graph, as plain text.
    package let title: String
    /// Printed with the heading to explain the graph; may be empty.
    package let blurb: String
    /// This many of the latest points; 0 = all.
    package let maximumPoints: Int

    package init(kind: Kind, question: String, title: String, blurb: String, maximumPoints: Int) {
        self.kind = kind
        self.question = question
        self.title = title
        self.blurb = blurb
        self.maximumPoints = maximumPoints
    }
}
