// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// What the running agent says of its measures and faults to `studyd check`, which cannot open devices that the agent
/// has open.
package struct AgentFacts: Sendable, Hashable, Codable {
    struct Measure: Sendable, Hashable, Codable {
        /// Samples of the last hour.
        struct Counts: Sendable, Hashable, Codable {
            let due: Int
            let stored: Int
            let lost: Int
        }
        let channel: String
        let device: String
        let lastHour: Counts
        let nominalRate: Double
        let measuredRate: Double?
        let fault: Explanation?
    }
    let measures: [Measure]
    let faults: [Explanation]

    /// What a running agent at that state folder says; nil when none runs.
    package static func ask(folder: String) throws -> AgentFacts? {
        switch try ControlClient(path: StateFolder.socket(in: folder)).call(.facts, within: .seconds(5)) {
        case .facts(let facts): return facts
        case .refused(let reason): throw FileError(path: folder, message: reason)
        case .done, nil: return nil
        }
    }
}

extension AgentFacts.Measure {
    init(_ state: MeasureState) {
        channel = state.kind.rawValue
        device = state.device
        lastHour = Counts(
            due: Int(state.lastHour.due), stored: Int(state.lastHour.stored), lost: Int(state.lastHour.totalLost))
        nominalRate = state.nominalRate
        measuredRate = state.measuredRate
        fault = state.fault
    }
}
