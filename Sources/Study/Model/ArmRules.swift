// SPDX-License-Identifier: Apache-2.0

/// What holds for the arms of a study besides their names: for `StudyVerdict` (`studyd validate`, enrolment)
/// and `ChanceDraw`.
package struct ArmRules: Sendable {
    /// A participant of an arm that a new version of the study no longer has is drawn again, among
    /// its arms; false = the arm stays.
    package var redrawsLost = false
    /// Why participants of an arm cannot take part, by the arm's name: a task of one arm that
    /// cannot be run refuses only that arm.
    package var refusals: [String: [Remark]] = [:]

    package init() {}
}
