// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// Reads the protocols of schema (schema-app/schema) and of its fork momenTUM.
///
/// What counts is what the app does, not what its README says, except where the app's own
/// comments call it a bug.
package struct SchemaReader: StudyReader {
    package init() {}

    /// True for one JSON object with `properties` and `modules`, whatever these hold.
    /// Reads the whole file.
    package func recognises(_ source: StudySource) -> Bool {
        guard source.files.count == 1, let root = try? JSONNode(source.files[0].bytes) else { return false }
        return root["properties"] != nil && root["modules"] != nil
    }

    /// Takes one file; every problem of it is thrown at once, in the order of the file.
    package func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol {
        guard let file = source.files.first, source.files.count == 1 else {
            throw StudyFormatError(
                path: "$", line: nil, expected: "one file: a schema protocol", found: "\(source.files.count) files")
        }
        var decoder = SchemaDecoder(JSONPlace(root: try JSONNode(study: file.bytes)), options: source.options)
        return try decoder.study()
    }
}

struct SchemaDecoder {
    /// A study beyond this makes more tasks than a device should hold: 14 a day for 39 years.
    private static let maximumOccurrences = 200_000
    /// Each module looks at the numbers of those before it.
    private static let maximumModules = 1000

    let root: JSONPlace
    var findings = Findings()
    var conditions: [String] = []
    /// The same as the app compares them, type included.
    var conditionIdentities: [JSONText] = []
    /// What is wrong with modules of one arm only.
    private var armProblems: [String: [StudyFormatError.Problem]] = [:]
    /// Occurrences of the modules read so far, each with its arm, from which the running
    /// task numbers follow.
    var earlier: [SchemaSchedule.Share] = []
    var media: [MediaReference] = []
    var cachesMedia = false
    private var isMomentum = false

    let options: StudyOptions
    /// What `timeout_after` counts; nil = by its size.
    var timeouts: StudyOptions.TimeoutUnit? { options.timeouts }

    init(_ root: JSONPlace, options: StudyOptions = StudyOptions()) {
        self.root = root
        self.options = options
    }

    mutating func study() throws(StudyFormatError) -> StudyProtocol {
        guard root.isObject else {
            findings.expected("an object with `properties` and `modules`", at: root)
            try findings.finish()
            return StudyProtocol(
                platform: .schema, studyID: "", texts: StudyTexts(), conditions: [], tasks: [], postURL: nil,
                writer: SchemaWriter(isMomentum: false, sendsLogs: false))
        }
        let properties = member("properties")
        let studyID = properties.flatMap { self.studyID($0) }
        let texts = properties.map { self.texts($0) }
        let postURL = properties.flatMap { self.postURL($0) }
        if let properties {
            conditions = conditions(in: properties)
            cachesMedia = properties.member("cache")?.isTrue ?? false
        }
        let tasks = self.tasks()
        giveBackProblemsOfAllArms()
        try findings.finish()
        var study = StudyProtocol(
            platform: .schema, studyID: studyID ?? "", texts: texts ?? StudyTexts(), conditions: conditions,
            tasks: tasks, postURL: postURL,
            writer: SchemaWriter(isMomentum: isMomentum, sendsLogs: !isMomentum || options.sendsMomentumLogs),
            media: media, remarks: findings.remarks)
        if !armProblems.isEmpty {
            var arms = ArmRules()
            arms.refusals = armProblems.mapValues { StudyFormatError(problems: $0).remarks }
            study.arms = arms
        }
        return study
    }

    /// What leaves no arm that could be run is wrong with the study.
    private mutating func giveBackProblemsOfAllArms() {
        guard !conditions.isEmpty, conditions.allSatisfy({ armProblems[$0] != nil }) else { return }
        for (_, found) in armProblems.sorted(by: { $0.key < $1.key }) { findings.giveBack(found) }
        armProblems = [:]
    }

    /// The app wants it to be there, no more.
    private mutating func studyID(_ place: JSONPlace) -> String? {
        guard let child = place.member("study_id"), child.text == nil, let text = child.shown else {
            return findings.requiredText("study_id", in: place)
        }
        findings.assume("taken as the text \"\(text)\", as the app sends it", at: child)
        return text
    }

    private mutating func member(_ key: String) -> JSONPlace? {
        guard let place = root.member(key) else {
            findings.missing(key, "an object", in: root)
            return nil
        }
        if !place.isObject { findings.expected("an object", at: place) }
        return place.isObject ? place : nil
    }

    private mutating func texts(_ place: JSONPlace) -> StudyTexts {
        var texts = StudyTexts()
        texts.name = plain("study_name", in: place)
        texts.instructions = plain("instructions", in: place)
        texts.ethics = plain("ethics", in: place)
        texts.nothingOpen = plain("empty_msg", in: place)
        texts.contactEmail = shown("support_email", in: place)
        texts.contactURL = shown("support_url", in: place)
        texts.statement = shown("pls", in: place)
        _ = shown("banner_url", in: place)
        return texts
    }

    mutating func plain(_ key: String, in place: JSONPlace) -> String {
        PlainText(html: shown(key, in: place)).text
    }

    private mutating func postURL(_ place: JSONPlace) -> String? {
        let url = PostAddress.trimmed(shown("post_url", in: place))
        if let problem = PostAddress(url).problem {
            findings.warn("\(problem); enrol with --post-url ADDRESS", for: "post_url", in: place)
        }
        return url.isEmpty ? nil : url
    }

    private mutating func conditions(in place: JSONPlace) -> [String] {
        // The app cannot enrol without the array; an empty one is fine and leaves the
        // participant without an arm.
        guard place.member("conditions") != nil else {
            findings.missing("conditions", "an array of texts, which may be empty", in: place)
            return []
        }
        conditionIdentities = place.member("conditions")?.elements?.compactMap(\.identity) ?? []
        return shownTexts("conditions", in: place)
    }

    private mutating func tasks() -> [StudyTask] {
        let places = findings.objects(findings.array("modules", of: "modules", in: root), "a module")
        guard places.count <= Self.maximumModules else {
            findings.expected(
                "at most \(Self.maximumModules) modules", at: root.member("modules") ?? root, found: "\(places.count)")
            return []
        }
        let names = SchemaModuleNames(places, findings: &findings)
        isMomentum = Self.isMomentum(root, modules: places)
        if isMomentum, let properties = root.member("properties") {
            findings.assume(
                "this is momenTUM's dialect: results go to the post_url with /response appended, as in its app, and no log is sent unless --\(SchemaOptions.momentumLogs.name) is given",
                at: properties)
        }
        let tasks = places.enumerated().compactMap { index, place in
            task(place, index: index, names: names)
        }
        if earlier.reduce(0, { $0 + $1.count }) > Self.maximumOccurrences, let modules = root.member("modules") {
            findings.expected(
                "at most \(Self.maximumOccurrences) tasks in all", at: modules,
                found: "\(earlier.reduce(0) { $0 + $1.count })")
        }
        return tasks
    }

    /// One module; nil where it cannot be run and belongs to one arm only, or to none: then the
    /// others can be run all the same.
    private mutating func task(_ place: JSONPlace, index: Int, names: SchemaModuleNames) -> StudyTask? {
        let before = findings.problems.count
        let arm = self.arm(of: place)
        let task = module(place, index: index, arm: arm, names: names)
        guard findings.problems.count > before else { return task }
        switch arm {
        case .everyone: return task
        case .named(let name) where conditions.contains(name):
            armProblems[name, default: []] += findings.removeProblems(after: before)
        case .named, .nobody:
            findings.warn(
                of: findings.removeProblems(after: before), "no participant gets the module, so nobody is turned away")
        }
        return nil
    }
}
