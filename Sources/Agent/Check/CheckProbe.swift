// SPDX-License-Identifier: Apache-2.0
import Hardware
import SystemKit
import Times

/// A part of the self-test. It blocks, so it runs on a thread of its own.
protocol CheckProbe: Sendable {
    /// What it reports on, each once, in the order in which people read it.
    var subjects: [CheckSubject] { get }
    /// Tests, and reports each finding as soon as it stands; from this thread only.
    func run(_ report: (CheckFinding) -> Void)
}

/// What the self-test works on.
public struct CheckSetting: Sendable {
    /// What is wired.
    public let board: BoardDescription
    /// What stands in for its simulated parts.
    public var parts = SimulatedParts()
    /// Read for rates and deadlines.
    public let clock: any StudyClock
    /// Who vouches for the wall clock.
    public let trust: ClockTrust
    /// The rates and ranges that will be asked of the chips; a chip that no measure names is tested at its own.
    public var measures: [AgentConfiguration.Measure] = []
    /// Where the agent keeps its store and recordings: the disk that is tested.
    public let folder: String
    /// Servers that the device sends to; empty = none is known yet.
    public var servers: [CheckServer] = []
    /// What the agent says that owns the board's devices; nil when none runs, or when it runs another board.
    public var agent: AgentFacts?
    /// Presses the simulated key of that code for a moment; nil on a real board.
    public var press: (@Sendable (UInt16) -> Void)?
    /// Who can press buttons, and say what was seen and heard; nil = nobody.
    public var person: CheckPerson?

    /// A setting without simulated parts, servers and persons.
    public init(board: BoardDescription, clock: any StudyClock, trust: ClockTrust, folder: String) {
        self.board = board
        self.clock = clock
        self.trust = trust
        self.folder = folder
    }

    var opener: PartOpener { PartOpener(board: board, parts: parts) }

    /// Blocks this thread.
    func rest(_ duration: Duration) {
        guard let waker = try? Waker() else { return }
        waker.wait(atMost: duration)
    }
}

/// A server that the device sends to.
public struct CheckServer: Sendable, Hashable {
    /// What it is for: `study`, `recordings`.
    public let name: String
    /// Its http or https address.
    public let url: String

    public init(name: String, url: String) {
        self.name = name
        self.url = url
    }
}

/// Somebody at a terminal.
public struct CheckPerson: Sendable {
    /// Tells something.
    public let tell: @Sendable (String) -> Void
    /// Asks a question of yes or no; nil when nobody answers.
    public let ask: @Sendable (String) -> Bool?

    /// Somebody who is told and asked in these ways; both may block.
    public init(tell: @escaping @Sendable (String) -> Void, ask: @escaping @Sendable (String) -> Bool?) {
        self.tell = tell
        self.ask = ask
    }
}
