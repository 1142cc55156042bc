// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// A chip that is read, where the board file asks for it, and what is wrong with it. `MeasuringPlan` makes one for
/// each; `MeasuringSystem` asks it for faults, `RecorderLoop` for what a silent chip has lost.
struct MeasuringSensor: Sendable {
    /// `boards/x.toml:12: chip[1]`.
    let place: String
    /// How many samples its queue holds when the driver fetches them; `MeasuringSystem` computes the fetches from it.
    let watermark: Int
    /// The time that its full queue covers, and by which its driver may be late: while the chip is silent,
    /// `RecorderLoop` counts samples as lost only once they are older.
    let memory: Duration
    let counters: SensorCounters
    /// Of its interrupt line; nil without one.
    var line: AwaitedLine.Condition?

    /// It has given nothing since the start.
    var hasNotCome: Bool { counters.read == 0 && counters.trouble != nil }
    /// Why it gives no samples, with the place in the board file; nil while it does.
    var fault: Explanation? { counters.trouble.map { $0.fault.explanation.within(place) } }
    /// Why its interrupt line is missing; the chip is polled instead, and the line is looked for.
    var lineFault: Explanation? {
        (line?.fault?.within("\(place).interrupt")).map { fault in
            Explanation(
                place: fault.place, cause: fault.cause,
                remedy: Explanation.remedies(fault.remedy, "the chip is polled instead"))
        }
    }
}
