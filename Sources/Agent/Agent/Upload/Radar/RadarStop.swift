// SPDX-License-Identifier: Apache-2.0
import Base

/// Thrown where an item cannot be sent further for now; `step` is the delivery's result.
struct RadarStop: ExplainedError {
    let step: DeliveryStep
    /// The refresh token is no longer accepted.
    var isPairingOver = false

    /// For `studyd check`.
    var explanation: Explanation {
        switch step {
        case .blocked(let explanation, _): explanation
        case .finished(.retry(let reason)), .later(let reason, _), .foreign(let reason, _), .held(let reason):
            Explanation(cause: reason)
        default: Explanation(cause: "\(step)")
        }
    }

    /// Nothing is sent to this destination until a person has corrected the cause.
    static func blocked(_ cause: String, _ remedy: String, wait: Duration = .zero) -> RadarStop {
        RadarStop(step: .blocked(Explanation(cause: cause, remedy: remedy), wait: wait))
    }

    /// `end` in seconds since 1970.
    static func pairingOver(_ end: Int64) -> RadarStop {
        var stop = blocked(
            "the pairing is over (it was good until \(RadarServer.day(end))): nothing is sent, everything is kept",
            "make a new code for the participant in ManagementPortal (Pair app), and write it into the file of 'enrolment'"
        )
        stop.isPairingOver = true
        return stop
    }

    static func withdrawn(_ subject: String) -> RadarStop {
        .blocked(
            "participant \(subject) is not active in ManagementPortal (withdrawn?): nothing is sent, everything is kept",
            "set the participant active there, or have the device leave the study", wait: .seconds(3600))
    }

    static func noTopic(_ name: String) -> RadarStop {
        RadarStop(
            step: .held(
                reason: "the platform has no topic '\(name)': have it made there with its schemas, or name another "
                    + "in studyd.toml"))
    }
}
