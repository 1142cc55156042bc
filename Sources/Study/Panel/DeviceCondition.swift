// SPDX-License-Identifier: Apache-2.0

/// A state of the device that is shown to the participant for as long as it lasts (`Cue.condition`).
package enum DeviceCondition: String, Sendable, Hashable, CaseIterable {
    case sensorFault, underVoltage, lowDisk, clockUnknown, offline, notEnrolled, takingOver

    /// What a participant hears of it.
    package var phrase: Phrase {
        switch self {
        case .sensorFault: Phrase("A sensor gives no data. Please call the study team")
        case .underVoltage: Phrase("The device gets too little power. Please use another supply or cable")
        case .lowDisk: Phrase("The device's memory is full. Please call the study team")
        case .clockUnknown: Phrase("The device does not know the time yet, and prompts wait")
        case .offline: Phrase("The device has sent nothing for a long time. Please bring it near a known network")
        case .notEnrolled: Phrase("The device has no study yet")
        case .takingOver: Phrase("The device is being set up. Please leave it switched on")
        }
    }

    /// In the notation of `Rhythm`; no other cue has the same.
    var rhythm: Rhythm {
        switch self {
        case .sensorFault: "=' ="
        case .underVoltage: "== '"
        case .lowDisk: "= ''"
        case .clockUnknown: "- =''"
        case .offline: "'= ="
        case .notEnrolled: "= =-"
        case .takingOver: "=' .-"
        }
    }

    /// It may begin at night and pass by itself: it is shown by light, and said only when the participant asks.
    package var isQuiet: Bool {
        switch self {
        case .sensorFault, .underVoltage, .lowDisk: false
        case .clockUnknown, .offline, .notEnrolled, .takingOver: true
        }
    }

    /// The condition with this English phrase, by which the agent reports it as a fault; nil for other
    /// faults.
    init?(_ fault: String) {
        guard let found = Self.allCases.first(where: { $0.phrase.text(in: .english) == fault }) else { return nil }
        self = found
    }
}

extension Cue {
    /// It passes by itself, and is not worth a sound.
    var isQuietCondition: Bool { if case .condition(let condition) = self { condition.isQuiet } else { false } }

    /// What is signalled of a fault that the agent names in English.
    package static func fault(named fault: String) -> Cue {
        DeviceCondition(fault).map(Cue.condition) ?? .fault(FaultPhrases.phrase(for: fault))
    }
}
