// SPDX-License-Identifier: Apache-2.0
import Device
import Logging
import Study

/// What `StudyLoop` and its helpers work with; `AgentRuntime` makes it once at start.
struct AgentDependencies: Sendable {
    let configuration: AgentConfiguration
    let database: StudyDatabase
    let devices: BoardDevices
    let panel: Panel
    let limits: SessionLimits
    let signals: SignalPlayer
    /// nil without a loudspeaker.
    let speaker: Speaker?
    let stamps: EventClock
    let trust: ClockTrust
    /// nil = a receiver's time is not wanted.
    let listener: PositionWatch.Listener?
    let folder: RecordingFolder
    /// Opens what the device encrypted for itself; nil = nothing is encrypted.
    var opener: DeviceOpener?
    /// nil = nothing is shown live.
    var live: LiveNews?
    let media: MediaCache
    let backup: EnrolmentBackup
    let mailbox: Mailbox
    let commits: CommitService
    /// Leaves the study, as the participant confirmed on the panel; returns at once.
    let enrolmentWithdraw: @Sendable (LeavingWish) -> Void
    /// One that an earlier start noted and could not store; nil = none.
    var leaving: LeavingWish?
    /// Called when the store is damaged, with the reason; returns when it is repaired as far as
    /// possible.
    let repair: @Sendable (String) async -> Void
    /// Gets what just happened after each event; nil but for the demo and the simulated participant.
    let observer: (@Sendable (AgentSnapshot) -> Void)?
    /// Nil but for the demo, which draws the signals.
    let trace: SignalTrace?
    let view: SharedState
    /// Path of the file that says when measuring was last alive.
    let heartbeat: String
    let watched: WatchedThreads
    let log: Logger
}
