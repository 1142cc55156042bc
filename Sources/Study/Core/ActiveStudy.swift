// SPDX-License-Identifier: Apache-2.0
import Base

/// The enrolment that is running, as it was restored from the event log when the agent started or
/// the study was read again. `StudyCore` owns it; the parts that change are boxed, to be changed in place.
package struct ActiveStudy: Sendable {
    /// As the log has it.
    package let record: EnrolmentRecord
    package var loaded: LoadedStudy { _read { yield boxedLoaded.value } }
    package var conductor: StudyConductor {
        _read { yield boxedConductor.value }
        _modify { yield &boxedConductor.value }
    }
    package var encoder: EventEncoder {
        _read { yield boxedEncoder.value }
        _modify { yield &boxedEncoder.value }
    }
    /// The zone of the wall clock before this start; nil where it is still the same.
    package let zoneBefore: String?
    /// Occurrences that are open in the log though the study no longer has their task, each with the
    /// outcome that is to be logged for it.
    package let orphans: [(occurrence: Occurrence, outcome: Outcome)]
    private let boxedLoaded: Boxed<LoadedStudy>
    private var boxedConductor: Boxed<StudyConductor>
    private var boxedEncoder: Boxed<EventEncoder>

    package init(
        record: EnrolmentRecord, loaded: LoadedStudy, conductor: StudyConductor, encoder: EventEncoder,
        orphans: [(occurrence: Occurrence, outcome: Outcome)], zoneBefore: String? = nil
    ) {
        self.record = record
        self.zoneBefore = zoneBefore
        boxedLoaded = Boxed(loaded)
        boxedConductor = Boxed(conductor)
        boxedEncoder = Boxed(encoder)
        self.orphans = orphans
    }

    /// These files, with what the study's own server is sent with those that it takes. Their owner
    /// is the enrolment as it is now, which may have been dated since measuring began for it.
    func addressed(_ recordings: [SealedRecording]) -> StudyCommit.Files {
        var files = StudyCommit.Files(recordings, of: record)
        files.server = encoder.server
        for recording in recordings {
            files.fields[recording.number] = runFile(recording).flatMap(encoder.fields)
        }
        return files
    }

    /// Which task and step a recording belongs to; nil for continuous recordings. The id of a spoken
    /// answer is `<run>-<card number>-<presentation>-<n>`: the card is third from the end (`TaskRun.ask`).
    private func runFile(_ recording: SealedRecording) -> RunFile? {
        if let memo = recording.memo {
            let parts = memo.split(separator: "-")
            let cards = conductor.cards.cards
            guard parts.count > 3, let number = Int(parts[parts.count - 3]), cards.indices.contains(number - 1) else {
                return nil
            }
            let card = cards[number - 1]
            return RunFile(task: card.task.key, step: card.step.key, name: memo)
        }
        return recording.description.task.map {
            RunFile(task: $0.task, step: nil, name: $0.recorders.joined(separator: "_"))
        }
    }

    /// What has to be measured for its tasks.
    package var needs: StudyNeeds {
        StudyNeeds(loaded.study, condition: record.condition, panel: conductor.session.panel)
    }
}
