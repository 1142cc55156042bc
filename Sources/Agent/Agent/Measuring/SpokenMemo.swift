// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// The voice memo (spoken answer) that is being recorded, as a separate file. `RecorderLoop` has one, on the recorder
/// thread.
///
/// A memo ends with the last sample before the press that ended it: a microphone gives its sound in
/// periods, so that the last word comes later than the press.
///
/// An answer names one file, but a recorder begins another one when the clock becomes known or is corrected.
/// So this recorder gets no anchors until the memo is over. If the clock is not known then either, the file has
/// no date: an answer does not wait for the clock.
final class SpokenMemo {
    /// A microphone that has fallen silent is not waited for longer.
    private static let timeout = Duration.seconds(3)

    private let splitter: SoundSplitter
    private let source: SourceDescription
    private let origin: RecordingOrigin
    private let folder: RecordingFolder
    private var spoken: (id: String, recorder: any SampleRecorder)?
    private var ended: MonotonicTime?

    init(_ splitter: SoundSplitter, of source: SourceDescription, origin: RecordingOrigin, folder: RecordingFolder) {
        self.splitter = splitter
        self.source = source
        self.origin = origin
        self.folder = folder
    }

    var isSpoken: Bool { spoken != nil }
    /// `drain` is to be called soon.
    var isEnding: Bool { ended != nil }

    /// Takes what is heard from `time` on; false where another one is spoken, or no file can be had.
    func start(_ id: String, at time: MonotonicTime) -> Bool {
        guard spoken == nil else { return false }
        let ring = FrameRing(capacity: 4096, repeating: SoundFrame(time: .zero))
        var measure = MeasureConfiguration(identifier: VoiceMemo.prefix + id, format: .flac)
        // The device reads it again to send it to the study's own server: where files are encrypted, it keeps a key.
        measure.isReadAgain = true
        guard let recorder = try? measure.recorder(of: .sound(ring), source: source, origin: origin, folder: folder)
        else { return false }
        spoken = (id, recorder)
        splitter.memo = (ring, time)
        return true
    }

    /// What was said after the press does not belong to it; what was said before may still come.
    func end(after press: MonotonicTime, at now: MonotonicTime) {
        guard let spoken, ended == nil else { return }
        ended = now
        spoken.recorder.end(after: press)
    }

    /// Writes what was said; returns what became of the memo once it has ended, nil before.
    func drain(at now: MonotonicTime, anchors: [ClockAnchor]) -> RecorderNews? {
        guard let spoken else { return nil }
        // Without anchors it seals nothing: every file waits for `close`.
        _ = spoken.recorder.drain(at: now, anchors: [])
        guard let ended, spoken.recorder.hasEnded || now - ended >= Self.timeout else { return nil }
        return close(at: now, anchors: anchors)
    }

    /// Seals it with what there is. Where a gap or a fault of the disk has ended a file before, the longest of several
    /// is the answer.
    func close(at now: MonotonicTime, anchors: [ClockAnchor]) -> RecorderNews? {
        guard let (id, recorder) = spoken else { return nil }
        let files = recorder.stop(at: now, anchors: []) + recorder.sealWithoutWaiting(at: now, anchors: anchors)
        (spoken, ended, splitter.memo) = (nil, nil, nil)
        guard let file = files.max(by: { $0.description.samplesStored < $1.description.samplesStored }) else {
            return .memoFailed(id)
        }
        for other in files where other.number != file.number { folder.discard(other) }
        return .memo(id, file)
    }
}
