// SPDX-License-Identifier: Apache-2.0

/// The name of a run that was submitted, unique in its enrolment, by which the panel hears that it is on the
/// disk.
package struct SubmittedRun: Sendable, Hashable {
    package let task: String
    /// Which opening of the task it is, from 1.
    package let opening: Int
}
