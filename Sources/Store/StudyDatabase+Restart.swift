// SPDX-License-Identifier: Apache-2.0
import Database
import StudyModel
import Times

extension StudyDatabase {
    /// The stamp of the newest row: until then the device was certainly on. Nil in a new log.
    public func newestStamp() throws -> EventStamp? {
        try connection.first(
            "SELECT wall, monotonic, boot, zone_offset, enrolment FROM event ORDER BY sequence DESC LIMIT 1"
        ) { row in
            EventStamp(
                wall: Instant(nanoseconds: try row.int(0)), monotonic: MonotonicTime(nanoseconds: try row.int(1)),
                bootID: try row.string(2), zoneOffset: Int(try row.int(3)), enrolment: try row.string(4))
        }
    }

    /// The newest jumps of the clock that were noted, oldest first, each with the time after it.
    public func clockJumps(limit: Int = 200) throws -> [(by: Duration, at: Instant)] {
        try connection.rows(
            "SELECT kind, body, wall FROM event WHERE kind = 'clockStepped' ORDER BY sequence DESC LIMIT ?", limit
        ) { (try StudyEvent(kind: $0.string(0), body: $0.string(1)), Instant(nanoseconds: try $0.int(2))) }
        .reversed().compactMap { event, wall in
            guard case .clockStepped(let nanoseconds) = event else { return nil }
            return (.nanoseconds(nanoseconds), wall)
        }
    }

    /// Ids of occurrences of which a run was begun, finished or not.
    public func begunOccurrences(of enrolment: String) throws -> Set<String> {
        Set(
            try connection.rows(
                "SELECT DISTINCT occurrence FROM run WHERE enrolment = ? AND occurrence IS NOT NULL", enrolment
            ) { try $0.string(0) })
    }

    /// How many runs that answered no occurrence were submitted.
    public func selfStartedRuns(of enrolment: String) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM run WHERE enrolment = ? AND occurrence IS NULL AND submitted IS NOT NULL", enrolment
        ) { Int(try $0.int(0)) } ?? 0
    }
}
