// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Somebody who joined: on 2 March 2026 at ten, if nothing else is said.
package enum Joined {
    /// At that time of that zone.
    package static func context(at local: String, in zone: Zone, seed: UInt8 = 1) throws -> ScheduleContext {
        let local = try LocalDateTime(parsing: local)
        let enrolment = Enrolment(
            id: "e", studyID: "S", participant: ParticipantID("P"), condition: nil,
            instant: zone.resolve(local).instant, local: local, zone: zone, seed: [seed])
        return ScheduleContext(
            enrolment: enrolment, zone: zone, chance: Chance(seed: [seed], digest: testDigest), facts: StudyFacts())
    }

    package static func context(_ condition: String? = nil, seed: UInt8 = 1, zone: Zone = .utc) -> ScheduleContext {
        let local = LocalDateTime(LocalDate(daysSinceEpoch: 20_514), LocalTime(hour: 10, minute: 0) ?? .midnight)
        let enrolment = Enrolment(
            id: "e", studyID: "S", participant: ParticipantID("P"), condition: condition,
            instant: zone.resolve(local).instant, local: local, seed: [seed])
        return ScheduleContext(
            enrolment: enrolment, zone: zone, chance: Chance(seed: [seed], digest: testDigest), facts: StudyFacts())
    }
}
