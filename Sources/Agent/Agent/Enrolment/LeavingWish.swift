// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A participant's wish to leave, confirmed on the panel: it holds from that moment on, however long the disk refuses
/// to store it.
struct LeavingWish: Codable, Sendable, Hashable {
    let enrolment: String
    /// Nil = as the study says.
    let deletesData: Bool?
    private let wall: Int64
    private let monotonic: Int64
    private let boot: String
    private let zoneOffset: Int

    init(_ stamp: EventStamp, deletesData: Bool?) {
        (enrolment, self.deletesData) = (stamp.enrolment, deletesData)
        (wall, monotonic) = (stamp.wall.nanoseconds, stamp.monotonic.nanoseconds)
        (boot, zoneOffset) = (stamp.bootID, stamp.zoneOffset)
    }

    /// The moment of the confirming press, not of the attempt that stores it.
    var stamp: EventStamp {
        EventStamp(
            wall: Instant(nanoseconds: wall), monotonic: MonotonicTime(nanoseconds: monotonic), bootID: boot,
            zoneOffset: zoneOffset, enrolment: enrolment)
    }
}
