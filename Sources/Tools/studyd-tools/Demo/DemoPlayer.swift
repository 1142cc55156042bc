// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A participant of the demo, a script or a person: is asked by `Demo` twenty times a second what to do, and
/// presses the simulated buttons.
protocol DemoPlayer {
    /// The clock jumps to the next prompt whenever nothing is open.
    var jumpsByItself: Bool { get }
    /// Presses what is to be pressed now. `conductor` is nil while there is no enrolment.
    func play(_ conductor: StudyConductor?, at now: Moment) throws -> DemoRequest
}
