// SPDX-License-Identifier: Apache-2.0
import Base

/// A chart of a study's answers, computed by ESMira's `StudyDrawings` and ready to be drawn (`svg`) by
/// `studyd history`.
package struct StudyDrawing: Sendable, Hashable {
    package enum Kind: String, Sendable { case line, area, bars, dots, pie }

    package struct Point: Sendable, Hashable {
        /// Along the axis: the place of a day or of a word, or any number among dots.
        package let x: Double
        package let y: Double
        /// Printed below it; may be empty.
        package let label: String
        /// `#rrggbb`; nil = that of its row.
        package let color: String?

        package init(x: Double, y: Double, label: String, color: String? = nil) {
            (self.x, self.y, self.label, self.color) = (x, y, label, color)
        }
    }

    /// A series of values in one colour.
    package struct Row: Sendable, Hashable {
        /// Plain text; may be empty.
        package let label: String
        /// `#rrggbb`.
        package let color: String
        /// It shows all participants, not this one alone.
        package let isPublic: Bool
        /// In the order of the axis.
        package let points: [Point]
        /// A line through dots: its two ends; empty = none.
        package let trend: [Point]

        package init(label: String, color: String, isPublic: Bool, points: [Point], trend: [Point] = []) {
            self.label = label
            self.color = color
            self.isPublic = isPublic
            self.points = points
            self.trend = trend
        }
    }

    /// What the axes are called; may be empty.
    package struct Axes: Sendable, Hashable {
        package let x: String
        package let y: String
    }

    package let kind: Kind
    /// Plain text.
    package let title: String
    /// Plain text below the title; may be empty.
    package let blurb: String
    package let axes: Axes
    /// Ends of the upright axis; nil = as the values are.
    package let minimum: Double?
    package let maximum: Double?
    /// Values are shares of a hundred.
    package let isPercent: Bool
    /// Rows of all participants (`isPublic`) first.
    package let rows: [Row]
    /// Why there is nothing to be seen; nil where there is something.
    package let remark: String?

    package init(
        kind: Kind, title: String, blurb: String, axes: (x: String, y: String) = ("", ""), minimum: Double? = nil,
        maximum: Double? = nil, isPercent: Bool = false, rows: [Row], remark: String? = nil
    ) {
        self.kind = kind
        self.title = title
        self.blurb = blurb
        self.axes = Axes(x: axes.x, y: axes.y)
        self.minimum = minimum
        self.maximum = maximum
        self.isPercent = isPercent
        self.rows = rows
        self.remark = remark
    }

    /// For `studyd history --json`.
    package var json: JSONText {
        .object(["title": .string(title), "rows": .array(rows.map(\.json)), "remark": remark.map { .string($0) }])
    }
}

extension StudyDrawing.Row {
    fileprivate var json: JSONText {
        let points = points.map {
            JSONText.object([.init("x", .number($0.x)), .init("y", .number($0.y)), .init("label", .string($0.label))])
        }
        return .object([
            .init("label", .string(label)), .init("public", .boolean(isPublic)), .init("points", .array(points)),
        ])
    }
}
