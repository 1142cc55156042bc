// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

extension EnrolmentRecord {
    /// The enrolment that the record describes; nil where the seed is not hexadecimal. Reads the zone's small
    /// file; where that is gone, the offset from UTC of the day of enrolment holds for all dates.
    package var enrolment: Enrolment? { enrolment(in: zone.flatMap { try? Zone.load($0) }) }
}
