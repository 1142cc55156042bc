// SPDX-License-Identifier: Apache-2.0

/// What a participant hears of a fault. What exactly it is, the log and `status` have, in the words
/// of those who look after the device.
package enum FaultPhrases {
    package static let general = Phrase("Something is wrong with the device. Please call the study team")
    /// Nothing reaches the disk.
    package static let cannotStore = Phrase("The device cannot store data")
    /// Something was refused by the store; the rest goes on.
    package static let notAllStored = Phrase("The device could not store everything")
    /// Something of the store was lost.
    package static let memoryDamaged = Phrase("The device's memory was damaged")
    /// The agent does not do in time what was asked of it.
    static let noReply = Phrase("The device did not answer")

    /// Everything that may be said of a fault in any study; a question kind or a task adds its own.
    static let all = [general, cannotStore, notAllStored, memoryDamaged, noReply]

    /// What is said of a fault that the agent names in English: the phrase of that name, else
    /// the general one.
    package static func phrase(for fault: String) -> Phrase {
        all.first { $0.text(in: .english) == fault } ?? general
    }
}
