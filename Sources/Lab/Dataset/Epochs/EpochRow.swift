// SPDX-License-Identifier: Apache-2.0

/// A minute of an enrolment, and what was measured in it: a row of `epochs.csv`, made by `ParticipantEpochs`.
package struct EpochRow: Sendable, Hashable {
    package let enrolment: String?
    /// The accelerometer's name in the study; nil in a minute without acceleration.
    package let measure: String?
    /// The start of the minute.
    package let time: StudyTime
    /// In g.
    package var enmo: Double?
    package var isWorn: Bool?
    /// The share of the minute with samples, 0...1.
    package var coverage = 0.0
    /// In dB.
    package var level: Double?
    /// 0 quiet, 1 talk, 2 loud.
    package var sound: Int?
    package var soundCoverage = 0.0
    /// Seconds for which the person had been at the same place.
    package var dwell: Double?
    /// The dwell is long enough for a visit (`StayPoints.time`).
    package var isVisit: Bool?
    package var positionCoverage = 0.0
}

/// The last valid position of a minute: a row of `positions.csv`.
package struct PositionRow: Sendable, Hashable {
    package let enrolment: String?
    package let time: StudyTime
    /// In degrees of WGS 84.
    package let latitude: Double
    package let longitude: Double
    /// In metres above mean sea level; of three-dimensional fixes alone.
    package let altitude: Double?
    /// Horizontal dilution of precision, as the receiver gave it.
    package let dilution: Double?
}
