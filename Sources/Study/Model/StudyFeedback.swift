// SPDX-License-Identifier: Apache-2.0

/// What a study shows participants of the answers they gave, by `studyd history`.
package struct StudyFeedback: Sendable {
    package var statistics: [StudyStatistic] = []
    package var charts: [StudyChart] = []
    /// Charts that the platform makes itself (`StudyDrawing`); nil = there are none.
    package var drawings: (any StudyDrawings)?

    package init() {}
}
