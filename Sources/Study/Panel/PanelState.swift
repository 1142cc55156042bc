// SPDX-License-Identifier: Apache-2.0

/// What the device can be doing or have done, as the panel shows it: the one table for card sheet,
/// docs/panel.md and tests.
package enum PanelState: CaseIterable, Sendable {
    case alive, recording, paused, pauseBegins, pauseEnds, promptWaits, question, accepted, refused, marked, delivered
    case removable
    case fault, sensorFault, underVoltage, lowDisk, clockUnknown, offline, notEnrolled, takingOver

    package var cue: Cue {
        switch self {
        case .alive: .alive
        case .recording: .recording
        case .paused: .paused
        case .pauseBegins: .pauseBegins
        case .pauseEnds: .pauseEnds
        case .promptWaits: .prompt(title: "", message: "")
        case .question: .card(12, text: "")
        case .accepted: .accepted
        case .refused: .refused
        case .marked: .marked
        case .delivered: .delivered
        case .removable: .removable
        case .fault: .fault(FaultPhrases.general)
        case .sensorFault: .condition(.sensorFault)
        case .underVoltage: .condition(.underVoltage)
        case .lowDisk: .condition(.lowDisk)
        case .clockUnknown: .condition(.clockUnknown)
        case .offline: .condition(.offline)
        case .notEnrolled: .condition(.notEnrolled)
        case .takingOver: .condition(.takingOver)
        }
    }

    /// As the card sheet and docs/panel.md have it.
    package var meaning: Phrase {
        switch self {
        case .alive: Phrase("idle")
        case .recording: Phrase("idle, recording")
        case .paused: Phrase("idle, sensors paused")
        case .pauseBegins: Phrase("the sensors' pause begins")
        case .pauseEnds: Phrase("the sensors' pause is over")
        case .promptWaits: Phrase("a prompt waits")
        case .question: Phrase("card number (here 12)")
        case .accepted: Phrase("accepted")
        case .refused: Phrase("not possible here")
        case .marked: Phrase("event noted")
        case .delivered: Phrase("delivered to the server")
        case .removable: Phrase("nothing more waits for the stick: it may be pulled out")
        case .fault: Phrase("fault: call the study team")
        case .sensorFault: Phrase("a sensor gives nothing: call the study team")
        case .underVoltage: Phrase("too little power: use another supply or cable")
        case .lowDisk: Phrase("memory full: call the study team")
        case .clockUnknown: Phrase("time not known yet: prompts wait")
        case .offline: Phrase("nothing sent for a day: go near a known network")
        case .notEnrolled: Phrase("no study yet")
        case .takingOver: Phrase("being set up: leave it switched on")
        }
    }
}
