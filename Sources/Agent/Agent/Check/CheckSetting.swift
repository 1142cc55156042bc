// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// What every probe of the self-test gets: the board and what is asked of it, the state of the device around
/// it, and the means to press and to ask.
package struct CheckSetting: Sendable {
    package let board: BoardDescription
    package var parts = SimulatedParts()
    /// The rates and ranges that will be asked of the chips; a chip that no measure names is
    /// tested at its own.
    package var measures: [ConfiguredMeasure] = []
    /// Where the agent keeps its store and recordings: the disk that is tested.
    package let folder: String
    /// The study that is enrolled; nil = none.
    package var study: StudyProtocol?
    /// What the running agent, which owns the board's devices, says; nil when no agent runs, or when it runs
    /// another board.
    package var agent: AgentFacts?
    /// Servers that the device sends to; empty = none is known yet.
    package var servers: [CheckServer] = []
    /// For live views; nil = none is configured.
    package var broker: LiveSettings?
    /// What would hold up a boot.
    package var cloudInit = CloudInit(runs: false, hasFinished: false, userData: nil)
    package let clock: any StudyClock
    /// Which source, if any, vouches for the wall clock.
    package let trust: ClockTrust
    /// Presses the simulated key of that code for a moment; nil on a real board.
    package var press: (@Sendable (UInt16) -> Void)?
    /// A person who can press buttons and say what was seen and heard; nil = none is present.
    package var person: CheckPerson?

    /// A setting without simulated parts, servers and persons.
    package init(board: BoardDescription, clock: any StudyClock, trust: ClockTrust, folder: String) {
        (self.board, self.clock, self.trust, self.folder) = (board, clock, trust, folder)
    }

    var opener: PartOpener { PartOpener(board: board, parts: parts) }

    func sleep(for duration: Duration) {
        guard let waker = try? Waker() else { return }
        waker.wait(atMost: duration)
    }
}

/// The person at the terminal during a `studyd check`.
package struct CheckPerson: Sendable {
    package let tell: @Sendable (String) -> Void
    /// Asks a yes-or-no question; nil without an answer.
    package let ask: @Sendable (String) -> Bool?

    /// A person who is addressed with these functions; both may block.
    package init(tell: @escaping @Sendable (String) -> Void, ask: @escaping @Sendable (String) -> Bool?) {
        (self.tell, self.ask) = (tell, ask)
    }
}
