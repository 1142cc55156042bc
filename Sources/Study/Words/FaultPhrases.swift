// SPDX-License-Identifier: Apache-2.0

/// What a participant hears of a fault. The log and `studyd status` say exactly what it is, in English, to
/// those who look after the device.
package enum FaultPhrases {
    package static let general = Phrase("Something is wrong with the device. Please call the study team")
    /// Nothing reaches the disk.
    package static let cannotStore = Phrase("The device cannot store data")
    /// The database refused something; everything else is stored.
    package static let notAllStored = Phrase("The device could not store everything")
    /// A part of the database was lost.
    package static let memoryDamaged = Phrase("The device's memory was damaged")
    /// The agent did not react in time to what the participant asked for.
    static let noReply = Phrase("The device did not answer")

    /// Everything that may be said of a fault in any study; a question kind or a task adds its own.
    static let all = [general, cannotStore, notAllStored, memoryDamaged, noReply]

    /// What is said of a fault that the agent names in English: the phrase of that name, without the remedy behind
    /// it, else the general one.
    package static func phrase(for fault: String) -> Phrase {
        all.first { phrase in
            let text = phrase.text(in: .english)
            return fault == text || fault.hasPrefix(text + "; ")
        } ?? general
    }
}
