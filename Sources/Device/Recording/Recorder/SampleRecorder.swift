// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// How open files become durable together: each step is taken for all of them before the next.
package enum SyncStep: CaseIterable, Sendable {
    /// The kernel gets everything, and begins to write it.
    case begin
    /// From then on it outlives a power cut.
    case commit
}

/// Takes samples from a ring to sealed files; `Recorder` is it for every format; `RecorderLoop` calls it. Not
/// `Sendable`: one thread owns it, and it blocks on the disk.
package protocol SampleRecorder: AnyObject {
    var source: SourceDescription { get }
    /// The ledger since the recorder was made.
    var counts: SampleCounts { get }
    /// What is counted: `samples`, `bytes`, `events`.
    var countedUnit: CountedUnit { get }
    /// Samples per second as measured; nil before the first stamp and for what has no rate.
    var measuredRate: Double? { get }
    /// The last thing that went wrong with a file, for `status`; nil since the last success.
    var fault: FileError? { get }
    /// Its path within the recordings folder; nil where none is open.
    var openFile: String? { get }
    /// What a reader of the open file finds now; nil where none is open.
    var openFileStatus: OpenFileStatus? { get }
    /// Files that wait for the first anchor of this boot.
    var waitingFiles: Int { get }
    /// True once the end that was given with `end(after:)` has come.
    var hasEnded: Bool { get }
    /// Samples before that time, by the source's stamps, or without a time before the first that is recorded, are
    /// not looked at: neither stored nor counted.
    func begin(at time: MonotonicTime)
    /// Records samples up to that time, and on to where a whole unit of the file ends; what comes
    /// later is not looked at.
    func end(after time: MonotonicTime)
    /// From now on every frame taken from the ring is pushed into this one, too: for another
    /// recorder on the same thread, which must drain it before `drain` is called again. False where
    /// the ring is for frames of another kind.
    func mirror(into ring: RecorderInput) -> Bool
    /// From now on the level of each second that is written is pushed into that ring, too; its
    /// consumer is on the same thread. False where no levels in dB re 20 µPa are written.
    func mirrorLevels(into ring: FrameRing<LevelFrame>) -> Bool
    /// Takes the volts of the board's battery, for the files that have a place for them; nil where they were not
    /// measured.
    func record(battery volts: Double?)
    /// An event marker was pressed at that time, which formats with a place for it note.
    func mark(at time: MonotonicTime)
    /// Samples of that span are taken and not kept: they count as lost, for `privacy`. Another span
    /// takes the place of the one before. What is mirrored is not affected.
    func withhold(_ span: Range<MonotonicTime>)
    /// Its source has failed, and every sample until `time` that has not come is lost: counted now,
    /// in the open file, and not a second time when the source tells of it once it is back.
    func miss(until time: MonotonicTime, _ reason: LossReason)
    /// Undoes `mirror`.
    func endMirror(into ring: RecorderInput)
    /// Takes what waits in the ring and writes what is due. Called every few seconds.
    /// `anchors` are those of this boot, in the order of taking. Returns the files that were
    /// sealed, to be put into the outbox. Faults of the disk do not end it: samples are counted as
    /// lost and a new file is tried after 10 s.
    func drain(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording]
    /// The parts of `drain`, for recorders that become durable together (`RecordingJournal`): all `take`; where
    /// one of them says `isSyncDue`, the `additions` of all go into the journal (`noteJournal`), or each
    /// `SyncStep` is taken by all; `settle` closes and seals.
    func take(at now: MonotonicTime, anchors: [ClockAnchor])
    var isSyncDue: Bool { get }
    func sync(_ step: SyncStep)
    /// What is in memory alone; nil where the file itself has to be made durable.
    var additions: [FileAddition]? { get }
    /// All additions are durable in the journal.
    func noteJournal(at now: MonotonicTime)
    /// The journal has something that the files do not have yet.
    var needsJournal: Bool { get }
    func settle() -> [SealedRecording]
    /// As `drain`, and seals everything. Files without an anchor stay for the recovery
    /// at the next start.
    func stop(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording]
    /// After `stop`: seals what waits for an anchor, without a date where there is none. Blocks on the disk.
    func sealWithoutWaiting(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording]
}
