// SPDX-License-Identifier: Apache-2.0

/// Something that is recorded in the background while a task is done (an async action, as SageResearch calls
/// it): MyStudies' and Sage's readers make it, and `RunRecorders` starts it.
///
/// It runs beside whatever is recorded all the time, into separate files that belong to the run.
/// What the device does not measure ends as an error in the run's result; the task goes on.
package struct TaskRecorder: Sendable, Hashable {
    /// What can be asked for; the names are those of the measures, where the device has
    /// one of that name.
    package enum Kind: String, Sendable, CaseIterable {
        case accelerometer, gyroscope, magnetometer, position, sound
        /// Counted steps, which no device here gives.
        case steps
    }

    /// Names its results; recorders of one task share it only where they never run together.
    package let identifier: String
    /// What is recorded, without repeats; kinds that one chip gives together lie in one file.
    package let kinds: [Kind]
    /// It starts when this step is presented, each time; nil = once, at the beginning of the run.
    package let startStep: String?
    /// It stops when this step is left for another one, or its time is over; nil = at the end of the
    /// run, where every recorder stops.
    package let stopStep: String?
    /// The longest it runs, on CLOCK_MONOTONIC; nil = no limit.
    package let duration: Duration?

    package init(
        identifier: String, kinds: [Kind], startStep: String? = nil, stopStep: String? = nil, duration: Duration? = nil
    ) {
        self.identifier = identifier
        self.kinds = kinds
        self.startStep = startStep
        self.stopStep = stopStep
        self.duration = duration
    }
}
