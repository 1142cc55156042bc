// SPDX-License-Identifier: Apache-2.0
import Base

/// The enrolment that is running: what the log says of it, brought to life.
package struct ActiveStudy: Sendable {
    /// As the log has it.
    package let record: EnrolmentRecord
    /// The study as it was read, with its platform.
    package var loaded: LoadedStudy {
        _read { yield boxedLoaded.value }
    }
    /// What happens when, and what is asked.
    package var conductor: StudyConductor {
        _read { yield boxedConductor.value }
        _modify { yield &boxedConductor.value }
    }
    /// Turns what was decided into rows and requests.
    package var encoder: EventEncoder {
        _read { yield boxedEncoder.value }
        _modify { yield &boxedEncoder.value }
    }
    /// The zone of the wall clock before this start; nil where it is still the same.
    package let zoneBefore: String?
    /// Open in the log, of tasks that the study no longer has; each with how it ends.
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

    /// What of a run that file is; nil for what belongs to none. The name of a spoken answer holds
    /// its card number, third from its end (`TaskRun.ask`).
    func runFile(_ recording: SealedRecording) -> RunFile? {
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

    /// What its tasks need of measuring.
    package var needs: StudyNeeds {
        StudyNeeds(loaded.study, condition: record.condition, panel: conductor.session.panel)
    }
}
