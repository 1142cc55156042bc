// SPDX-License-Identifier: Apache-2.0

/// For whom and what is measured. Where `StudyLoop` finds it to differ from that of the running measurement
/// (`MeasuringControl`), it starts measuring again.
package struct MeasuringTarget: Sendable, Hashable {
    /// The enrolment's id; nil = none.
    private let owner: String?
    package let needs: StudyNeeds

    package init(owner: String?, needs: StudyNeeds) { (self.owner, self.needs) = (owner, needs) }
}
