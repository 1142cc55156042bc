// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

extension EnrolmentRecord {
    /// The enrolment itself; nil where the seed is no hexadecimal. Reads the zone's small file;
    /// where that is gone, it is the offset of that day for good.
    package var enrolment: Enrolment? { enrolment(in: zone.flatMap { try? Zone.load($0) }) }
}
