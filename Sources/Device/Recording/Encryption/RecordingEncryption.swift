// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// To whom recordings are encrypted by age while they are written: `[seal]` of `studyd.toml`, which
/// `AgentRuntime` gives to `RecordingFolder`. The user calls such files sealed; in code `sealed` is the state
/// that every finished recording reaches.
package struct RecordingEncryption: Sendable, Hashable {
    let recipients: [AgeRecipient]
    /// The device's own key, for what it has to read again; nil = it reads nothing again.
    let device: AgeRecipient?
    /// The key `wait`: the longest that samples wait in memory for their chunk of 64 KiB to fill, since only
    /// whole chunks are written; then the file ends. So it is also the most that a power cut takes.
    let patience: Duration

    package init(to recipients: [AgeRecipient], device: AgeRecipient? = nil, patience: Duration = .seconds(300)) {
        self.recipients = recipients
        self.device = device
        self.patience = patience
    }

    /// What encrypts a file of that measure; notes it in the description.
    func encrypter(of draft: inout RecordingDescription, for measure: MeasureConfiguration) throws(FileError)
        -> AgeWriter
    {
        let all = recipients + (measure.isReadAgain ? [device].compactMap(\.self) : [])
        draft.age = .init(recipients: all.count, contentType: draft.contentType)
        draft.contentType = RecordingDescription.AgeNote.contentType
        draft.relativePath += RecordingDescription.AgeNote.ending
        draft.syncInterval = max(patience.seconds, draft.syncInterval)
        do throws(AgeFault) { return try AgeWriter(to: all) } catch { throw error.at(draft.relativePath) }
    }
}
