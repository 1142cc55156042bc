// SPDX-License-Identifier: Apache-2.0

/// How long a participant holds buttons; chosen at enrolment, for hands that are slow or tremble. `HoldTable`
/// stretches its times by it.
package enum HoldTimes: String, LoggedRecord, CaseIterable {
    case usual, slow
}
