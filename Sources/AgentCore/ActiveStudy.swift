// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import Store
import StudyEngine
import StudyModel
import Times

/// The enrolment that is running: what the log says of it, brought to life.
package struct ActiveStudy: Sendable {
    package let record: EnrolmentRecord
    package let loaded: LoadedStudy
    package var conductor: StudyConductor
    package var scribe: EventEncoder
    /// Open in the log, of tasks that the study no longer has; each with how it ends.
    package let orphans: [(occurrence: Occurrence, outcome: Outcome)]

    /// Brought to life.
    package init(
        record: EnrolmentRecord, loaded: LoadedStudy, conductor: StudyConductor, scribe: EventEncoder,
        orphans: [(occurrence: Occurrence, outcome: Outcome)]
    ) {
        self.record = record
        self.loaded = loaded
        self.conductor = conductor
        self.scribe = scribe
        self.orphans = orphans
    }

    /// What its tasks need of measuring.
    package var needs: StudyNeeds {
        StudyNeeds(loaded.study, condition: record.condition, panel: conductor.session.panel)
    }
}
