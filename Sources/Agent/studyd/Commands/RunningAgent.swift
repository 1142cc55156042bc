// SPDX-License-Identifier: Apache-2.0
import Agent
import Commands

/// The running agent, which commands ask through its socket instead of opening its store.
enum RunningAgent {
    /// The answer's text; nil when no agent runs with this state folder. Throws what
    /// the agent refused.
    static func ask(_ common: CommonOptions, _ request: ControlRequest, isReading: Bool = false) throws -> String? {
        let state = try (isReading ? common.readingConfiguration() : common.configuration()).state
        switch try ControlClient(path: StateFolder.socket(in: state)).call(request) {
        case .done(let text): return text
        case .refused(let reason): throw AgentRefusal(text: reason)
        case .facts, nil: return nil
        }
    }

    /// Whether an agent answers for that state folder, which need not exist.
    static func isThere(_ state: String) throws -> Bool {
        try ControlClient(path: StateFolder.socket(in: state)).call(.facts) != nil
    }
}

/// What the running agent refused, in its own words.
struct AgentRefusal: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
