// SPDX-License-Identifier: Apache-2.0

/// What a study says: decoded from its own file by the platform's `StudyReader`, validated, the same for all
/// platforms. `LoadedStudy` carries it to all who run, show or check the study.
package struct StudyProtocol: Sendable {
    package let platform: PlatformName
    /// The study's own identifier, sent with every record.
    package let studyID: String
    /// What a participant may read or hear about the study.
    package let texts: StudyTexts
    /// The arms of the study, of which one is drawn at enrolment; one that is listed twice is twice
    /// as likely. Empty where the study has none.
    package let conditions: [String]
    /// Modules, questionnaires or activities, in the order of the file.
    package private(set) var tasks: [StudyTask]
    /// Where the platform's records go, as the study says it; nil where it does not.
    package let postURL: String?
    /// Files to be fetched once at enrolment.
    package let media: [MediaReference]
    /// Writes down for its server what happens; made by the platform's reader, with whatever only
    /// that platform knows of this study.
    package let writer: any ReportWriter
    /// The study's version as its server counts it; nil where it does not say.
    package var version: String?
    /// The language in which its texts were asked for; nil = the server's own.
    package var language: String?
    /// Dates besides the enrolment from which tasks count their days; nil = there are none.
    package var anchors: AnchorDates?
    /// Texts beside the tasks, each with its time.
    package var resources: [StudyResource] = []
    /// What participants see of the answers they gave; nil = nothing, but for `StudyTask.graph`.
    package var feedback: StudyFeedback?
    /// What it gives for taking part; nil = nothing that this device could ask for.
    package var reward: RewardTerms?
    /// How taking part ends, and what leaving does to the data.
    package var leaving = LeavingRules()
    /// What holds for arms besides their names; nil = nothing.
    package var arms: ArmRules?
    /// Rules that were given with it (docs/rules.md); nil = none.
    package var rules: StudyRules?
    /// In which zone its times of day are read: its platform's rule.
    package var planZone = PlanZone.participant
    /// What was assumed while reading, and what a board without a screen cannot do.
    package var remarks: [Remark]

    package init(
        platform: PlatformName, studyID: String, texts: StudyTexts, conditions: [String], tasks: [StudyTask],
        postURL: String?, writer: any ReportWriter, media: [MediaReference] = [], remarks: [Remark] = []
    ) {
        self.platform = platform
        self.studyID = studyID
        self.texts = texts
        self.conditions = conditions
        self.tasks = tasks
        self.postURL = postURL
        self.writer = writer
        self.media = media
        self.remarks = remarks
    }

    package func task(_ key: String) -> StudyTask? { tasks.first { $0.key == key } }

    /// Whether a schedule prompts only from when this version was taken up.
    package var startsWithVersion: Bool { tasks.contains { $0.schedule.startsWithVersion } }

    /// Whether it matters when this version is taken up: a schedule counts from then, or may have to number
    /// its runs again.
    package var dependsOnTakeUp: Bool { startsWithVersion || tasks.contains { $0.schedule.numbersRuns } }

    /// The same study without some of its tasks.
    package func leavingOut(_ isLeftOut: (StudyTask) -> Bool) -> StudyProtocol {
        var study = self
        study.tasks.removeAll(where: isLeftOut)
        return study
    }

    /// The same study without some of the steps of its tasks.
    package func leavingOutSteps(_ isLeftOut: (Step) -> Bool) -> StudyProtocol {
        var study = self
        study.tasks = tasks.map { $0.leavingOut(isLeftOut) }
        return study
    }
}
