// SPDX-License-Identifier: Apache-2.0
import Base

/// A moment at which something is due, and what the wall clock says of it: for the schedules of ESMira and
/// Sage.
package struct DueTime: Sendable, Hashable {
    package let local: LocalDateTime
    package let instant: Instant
    package let resolution: Zone.Resolution

    package init(_ local: LocalDateTime, in zone: Zone) {
        self.local = local
        (instant, resolution) = zone.resolve(local)
    }

    /// A moment that does not depend on the wall clock, also in an hour that comes twice.
    package init(_ instant: Instant, in zone: Zone) {
        self.instant = instant
        local = zone.local(instant)
        resolution = .unique
    }
}
