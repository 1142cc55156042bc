// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The enrolment the device is in, and its switches.
package struct EnrolmentState: Sendable, Hashable {
    /// Who takes part in what, and where the study came from.
    package let record: EnrolmentRecord
    /// False after the participant switched prompts off; true again at each enrolment.
    package let arePromptsOn: Bool
    /// Nil while the participant takes part.
    package let withdrawn: Instant?
}
