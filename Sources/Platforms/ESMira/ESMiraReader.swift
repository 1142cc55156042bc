// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads a study of ESMira: the object that `studies.php` gives, bare or with the editor's language
/// keys around it (`{"_": study}`).
///
/// Sparse, as the editor saves it: what is absent has the app's default. Unknown
/// fields are ignored.
package struct ESMiraReader: StudyReader {
    package init() {}

    /// True for one object with `questionnaires` and a study's `id`.
    package func recognises(_ source: StudySource) -> Bool {
        guard source.files.count == 1, let root = try? JSONNode(source.files[0].bytes) else { return false }
        let study = root["_"] ?? root
        return study["questionnaires"] != nil && study["id"] != nil
    }

    /// Takes one file; every problem of it is thrown at once, in the order of the file.
    package func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol {
        guard let file = source.files.first, source.files.count == 1 else {
            throw StudyFormatError(
                path: "$", line: nil, expected: "one file: a study of ESMira", found: "\(source.files.count) files")
        }
        let root = JSONPlace(root: try JSONNode(study: file.bytes))
        var decoder = ESMiraDecoder(root.member("_") ?? root, options: source.options)
        return try decoder.study()
    }
}

struct ESMiraDecoder {
    private static let maximumQuestionnaires = 1_000
    static let maximumInputs = 20_000
    /// Values of `serverVersion` that are known: the apps of August 2026 say 13.
    private static let newestServer = 13

    let root: JSONPlace
    private let options: StudyOptions
    var findings = Findings()
    var groups = 0
    var language = ""
    var isLegacy = false
    var inputs = 0
    /// What scripts know of the study.
    var studyOwn: ESMiraStudy
    /// Names of everything that is sent with an answer.
    var columns: Set<String> = []
    /// That days are local was said.
    var saysDays = false
    /// When each questionnaire is active.
    var lives: [ESMiraClosing.Life] = []
    /// Of the questionnaire that is being read.
    var questionnaireKey = ""
    var turns: [ESMiraTurn] = []
    var scripts: [ESMiraScript] = []
    /// What is wrong with those that cannot be read.
    var unread: [RunLog] = []

    init(_ root: JSONPlace, options: StudyOptions = StudyOptions()) {
        self.root = root
        self.options = options
        studyOwn = ESMiraStudy(
            id: 0, version: -1, subVersion: -1, serverVersion: 11, language: "", accessKey: "", groups: 0,
            uploads: [:])
    }

    mutating func study() throws(StudyFormatError) -> StudyProtocol {
        let id = findings.integer("id", 0...Int(Int32.max), in: root)
        language = findings.text("lang", in: root)
        isLegacy = flag("legacyScheduling", in: root)
        // The editor writes 1 where there are none.
        groups = number("randomGroups", 0...100, in: root, default: 0)
        warnOfVersion()
        studyOwn = ownValues(id ?? 0)
        let places = findings.objects(
            findings.array("questionnaires", of: "questionnaires", in: root), "a questionnaire")
        studyOwn.questionnaires = Set(places.compactMap { $0.member("internalId")?.integer })
        if places.count > Self.maximumQuestionnaires {
            findings.expected(
                "at most \(Self.maximumQuestionnaires) questionnaires", at: root.member("questionnaires") ?? root,
                found: "\(places.count)")
        }
        let tasks = places.prefix(Self.maximumQuestionnaires).enumerated().compactMap { questionnaire($1, index: $0) }
        refuseRepeatedIDs(places, tasks)
        if tasks.isEmpty, findings.problems.isEmpty {
            findings.expected(
                "at least one questionnaire with a page", at: root.member("questionnaires") ?? root, found: "none")
        }
        columns = Set(
            tasks.compactMap { $0.own as? ESMiraQuestionnaire }.flatMap { own in
                own.inputs.map(\.name) + own.sumScores.map(\.name) + own.virtualInputs
            })
        let (personal, shared) = (charts("personalStatistics"), charts("publicStatistics"))
        let letter =
            flag("sendMessagesAllowed", in: root, default: true)
            ? [ESMiraLetter.task(index: places.count, language: language)] : []
        let times = ESMiraTimesTask.task(for: tasks, index: places.count + letter.count, language: language)
        let reward = reward(places)
        let additionalDays = number("additionalDaysActive", 0...36_500, in: root, default: 0)
        try findings.finish()
        var study = StudyProtocol(
            platform: .esmira, studyID: String(id ?? 0), texts: texts(),
            // One group is a group: whoever has it keeps it when there are more, as in the app.
            conditions: groups > 0 ? (1...groups).map(String.init) : [],
            tasks: tasks + letter + (times.map { [$0] } ?? []),
            postURL: options.serverAddress, remarks: findings.remarks)
        study.version = String(studyOwn.version)
        study.language = language.isEmpty ? nil : language
        study.own = studyOwn
        if !personal.isEmpty || !shared.isEmpty {
            study.drawings = ESMiraDrawings(
                personal: personal, shared: shared, study: studyOwn,
                questionnaires: Dictionary(
                    tasks.compactMap { task in (task.own as? ESMiraQuestionnaire).map { (task.key, $0) } }
                ) { $1 })
        }
        study.reward = reward
        study.tellsPlans = studyOwn.uploads("schedule_planned") || studyOwn.uploads("schedule_removed")
        study.redrawsLostArms = true
        study.closing = ESMiraClosing(lives: lives, additionalDays: additionalDays)
        return study
    }

    /// Of `DataSet.EventTypes` what there is no like of here: what iPhones alone send, and a choice
    /// of the language.
    private static let phoneEvents: Set<String> = ["actions_executed", "language_changed", "rejoined"]

    private mutating func ownValues(_ id: Int) -> ESMiraStudy {
        var settings: [String: Bool] = [:]
        if case .object(let members)? = root.member("eventUploadSettings")?.node.content {
            for member in members.prefix(100) {
                if case .boolean(let value) = member.value.content { settings[member.key] = value }
                if settings[member.key] == true, Self.phoneEvents.contains(member.key),
                    let place = root.member("eventUploadSettings")?.member(member.key)
                {
                    findings.unsupported("\"\(member.key)\" is an event of phones and is never sent", at: place)
                }
            }
        }
        return ESMiraStudy(
            id: id, version: number("version", -1...Int(Int32.max), in: root, default: -1),
            subVersion: number("subVersion", -1...Int(Int32.max), in: root, default: -1),
            serverVersion: number("serverVersion", 0...Int(Int32.max), in: root, default: 11), language: language,
            accessKey: options.accessKey ?? onlyKey ?? "", groups: groups, uploads: settings)
    }

    /// A study with a single key needs no other word for it.
    private var onlyKey: String? {
        guard let keys = root.member("accessKeys")?.elements, keys.count == 1 else { return nil }
        return keys[0].text
    }

    private mutating func warnOfVersion() {
        guard let place = root.member("serverVersion"), let version = place.integer, version > Self.newestServer else {
            return
        }
        findings.warn(
            "written by a server of version \(version), newer than what is known here (\(Self.newestServer)): anything new in it is ignored",
            at: place)
    }

    private mutating func texts() -> StudyTexts {
        var texts = StudyTexts()
        texts.name = plain("title", in: root)
        texts.statement = plain("studyDescription", in: root)
        texts.instructions = plain("postInstallInstructions", in: root)
        texts.contactEmail = findings.text("contactEmail", in: root)
        texts.consent = plain("informedConsentForm", in: root)
        return texts
    }

    private mutating func refuseRepeatedIDs(_ places: [JSONPlace], _ tasks: [StudyTask]) {
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

    // MARK: - What fields hold

    mutating func plain(_ key: String, in place: JSONPlace) -> String {
        PlainText(html: findings.text(key, in: place)).text
    }

    /// A whole number, or a text that spells one; the default where it is absent.
    mutating func number(_ key: String, _ range: ClosedRange<Int>, in place: JSONPlace, default usual: Int) -> Int {
        guard place.member(key) != nil else { return usual }
        return findings.integer(key, range, in: place) ?? usual
    }

    mutating func flag(_ key: String, in place: JSONPlace, default usual: Bool = false) -> Bool {
        place.member(key) == nil ? usual : findings.flag(key, in: place)
    }

    /// A list that may be absent.
    mutating func list(_ key: String, of what: String, in place: JSONPlace) -> [JSONPlace] {
        guard place.member(key) != nil else { return [] }
        return findings.objects(findings.array(key, of: what, in: place), "an object")
    }
}
