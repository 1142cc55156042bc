// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the JSON of one study, for `ESMiraReader`: call `study()` once. All problems are collected in `findings` and
/// thrown together by `findings.finish()`.
struct ESMiraDecoder {
    private static let maximumQuestionnaires = 1_000
    /// The greatest `serverVersion` known here: the apps of August 2026 say 13.
    private static let newestServer = 13

    private let root: JSONPlace
    private let options: StudyOptions
    private var findings = Findings()

    init(_ root: JSONPlace, options: StudyOptions = StudyOptions()) {
        self.root = root
        self.options = options
    }

    mutating func study() throws(StudyFormatError) -> StudyProtocol {
        let esmiraStudy = ESMiraStudy(root, options: options, &findings)
        warnOfVersion()
        warnOfPublication()
        let places = findings.objects(
            findings.array("questionnaires", of: "questionnaires", in: root), "a questionnaire")
        if places.count > Self.maximumQuestionnaires {
            findings.expected(
                "at most \(Self.maximumQuestionnaires) questionnaires", at: root.member("questionnaires") ?? root,
                found: "\(places.count)")
        }
        let (read, lives) = questionnaires(places, esmiraStudy)
        refuseRepeatedIDs(places)
        if read.isEmpty, findings.problems.isEmpty {
            findings.expected(
                "at least one questionnaire with a page", at: root.member("questionnaires") ?? root, found: "none")
        }
        let questionnaires = Dictionary(read.map { ($0.task.key, $0.questionnaire) }) { $1 }
        let drawings = drawings(esmiraStudy, questionnaires)
        let reward = ESMiraReward.terms(root, places, &findings)
        let additionalDays = findings.number("additionalDaysActive", 0...36_500, in: root, default: 0)
        let aside = tasksAside(read, esmiraStudy, index: places.count)
        try findings.finish()
        var study = StudyProtocol(
            platform: .esmira, studyID: String(esmiraStudy.id), texts: texts(),
            // A single group counts, too: as in the app, its participants keep it if a later version has more.
            conditions: esmiraStudy.groups > 0 ? (1...esmiraStudy.groups).map(String.init) : [],
            tasks: read.map(\.task) + aside, postURL: options.serverAddress,
            writer: ESMiraWriter(study: esmiraStudy, questionnaires: questionnaires), remarks: findings.remarks)
        study.version = String(esmiraStudy.version)
        study.language = esmiraStudy.language.isEmpty ? nil : esmiraStudy.language
        study.feedback = drawings.map { drawings in
            var feedback = StudyFeedback()
            feedback.drawings = drawings
            return feedback
        }
        study.reward = reward
        study.arms = ArmRules()
        study.arms?.redrawsLost = true
        study.leaving.closing = ESMiraClosing(lives: lives, additionalDays: additionalDays)
        return study
    }

    /// `lives` also has the questionnaires that cannot be filled out: they count for the end of the study.
    private mutating func questionnaires(
        _ places: [JSONPlace], _ esmiraStudy: ESMiraStudy
    ) -> (read: [ESMiraQuestionnaireReader.Reading], lives: [ESMiraClosing.Life]) {
        let isLegacy = findings.flag("legacyScheduling", in: root)
        var (inputs, saysDays) = (0, false)
        var read: [ESMiraQuestionnaireReader.Reading] = []
        var lives: [ESMiraClosing.Life] = []
        for (index, place) in places.prefix(Self.maximumQuestionnaires).enumerated() {
            var reader = ESMiraQuestionnaireReader(
                place, of: esmiraStudy, isLegacy: isLegacy, inputs: inputs, saysDays: saysDays, findings: findings)
            if let reading = reader.read(index: index) { read.append(reading) }
            if let life = reader.life { lives.append(life) }
            (inputs, saysDays, findings) = (reader.inputs, reader.saysDays, reader.findings)
        }
        return (read, lives)
    }

    /// Nil where the study has no charts that are shown.
    private mutating func drawings(
        _ esmiraStudy: ESMiraStudy, _ questionnaires: [String: ESMiraQuestionnaire]
    ) -> ESMiraDrawings? {
        let columns = questionnaires.values.flatMap { questionnaire in
            questionnaire.inputs.map(\.name) + questionnaire.sumScores.map(\.name) + questionnaire.virtualInputs
        }
        var reader = ESMiraChartReader(
            root, language: esmiraStudy.language, columns: Set(columns + [ESMiraQuestionnaire.durationKey]),
            findings: findings)
        let (personal, shared) = (reader.charts("personalStatistics"), reader.charts("publicStatistics"))
        findings = reader.findings
        guard !personal.isEmpty || !shared.isEmpty else { return nil }
        return ESMiraDrawings(personal: personal, shared: shared, study: esmiraStudy, questionnaires: questionnaires)
    }

    /// Tasks for what the app has on separate pages: writing a message to the study team, and moving
    /// prompt times.
    private mutating func tasksAside(
        _ read: [ESMiraQuestionnaireReader.Reading], _ esmiraStudy: ESMiraStudy, index: Int
    ) -> [StudyTask] {
        let message =
            findings.flag("sendMessagesAllowed", in: root, default: true)
            ? [ESMiraMessageTask.task(index: index, language: esmiraStudy.language)] : []
        let movable = read.flatMap { reading in
            reading.times.filter(\.isEditable).map {
                ESMiraMovableTime(
                    task: reading.task.key, name: reading.task.name, arm: reading.task.condition, time: $0)
            }
        }
        let times = ESMiraTimesTask.task(moving: movable, index: index + message.count, language: esmiraStudy.language)
        return message + (times.map { [$0] } ?? [])
    }

    private mutating func warnOfVersion() {
        guard let place = root.member("serverVersion"), let version = place.integer, version > Self.newestServer else {
            return
        }
        findings.warn(
            "written by a server of version \(version), newer than what is known here (\(Self.newestServer)): anything new in it is ignored",
            at: place)
    }

    /// The app leaves such a study out of what a key opens (`Study.getFilteredStudyList`).
    private mutating func warnOfPublication() {
        guard !findings.flag("publishedAndroid", in: root, default: true),
            !findings.flag("publishedIOS", in: root, default: true)
        else { return }
        findings.warn("published for neither Android nor iOS: the app does not offer this study", at: root)
    }

    private mutating func texts() -> StudyTexts {
        var texts = StudyTexts()
        texts.name = findings.plain("title", in: root)
        texts.statement = findings.plain("studyDescription", in: root)
        texts.instructions = findings.plain("postInstallInstructions", in: root)
        texts.contactEmail = findings.text("contactEmail", in: root)
        texts.consent = findings.plain("informedConsentForm", in: root)
        return texts
    }

    private mutating func refuseRepeatedIDs(_ places: [JSONPlace]) {
        var seen: [String: String] = [:]
        for place in places {
            let id = place.member("internalId")?.shown ?? "-1"
            if let other = seen[id] {
                findings.expected(
                    "a unique internalId: \(other) has it too, and the server could not tell their answers apart",
                    at: place.member("internalId") ?? place, found: id)
            }
            seen[id] = seen[id] ?? place.path
        }
    }
}
