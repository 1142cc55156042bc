// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// Reads the JSON of one study, for `SchemaReader`: call `study()` once. Problems are collected in `findings` and
/// thrown together by `findings.finish()`; those of a module of one arm refuse only that arm (`SchemaArms`).
struct SchemaDecoder {
    /// Bounds memory: 14 tasks a day for 39 years.
    private static let maximumOccurrences = 200_000
    /// Bounds the time to read, since each module adds up the numbers of those before it.
    private static let maximumModules = 1000

    private let root: JSONPlace
    private let options: StudyOptions
    private var findings = Findings()

    init(_ root: JSONPlace, options: StudyOptions = StudyOptions()) {
        self.root = root
        self.options = options
    }

    mutating func study() throws(StudyFormatError) -> StudyProtocol {
        guard root.isObject else {
            throw StudyFormatError(
                path: root.path, line: root.node.line, expected: "an object with `properties` and `modules`",
                found: root.node.summary)
        }
        let properties = findings.object("properties", in: root)
        let studyID = properties.flatMap { self.studyID($0) }
        let texts = properties.map { self.texts($0) }
        let postURL = properties.flatMap { self.postURL($0) }
        var arms = SchemaArms(properties, &findings)
        let modules = self.modules()
        let names = SchemaModuleNames(modules, &findings)
        let isMomentum = self.isMomentum(modules)
        if isMomentum, let properties {
            findings.assume(
                "this is momenTUM's dialect: results go to the post_url with /response appended, as in its app, and no log is sent unless --\(SchemaOptions.momentumLogs.name) is given",
                at: properties)
        }
        var reader = SchemaModuleReader(
            names, isMomentum: isMomentum, cachesMedia: properties?.member("cache")?.isTrue ?? false, options: options)
        let tasks = modules.enumerated().compactMap { task($1, index: $0, by: &reader, &arms) }
        if reader.occurrences > Self.maximumOccurrences, let place = root.member("modules") {
            findings.expected(
                "at most \(Self.maximumOccurrences) tasks in all", at: place, found: "\(reader.occurrences)")
        }
        arms.giveBackProblemsOfAllArms(to: &findings)
        try findings.finish()
        var study = StudyProtocol(
            platform: .schema, studyID: studyID ?? "", texts: texts ?? StudyTexts(), conditions: arms.names,
            tasks: tasks, postURL: postURL,
            writer: SchemaWriter(isMomentum: isMomentum, sendsLogs: !isMomentum || options.sendsMomentumLogs),
            media: reader.media, remarks: findings.remarks)
        study.arms = arms.rules
        return study
    }

    /// The app only requires it to be there, so a number will do.
    private mutating func studyID(_ place: JSONPlace) -> String? {
        guard let child = place.member("study_id"), child.text == nil, let text = child.shown else {
            return findings.requiredText("study_id", in: place)
        }
        findings.assume("taken as the text \"\(text)\", as the app sends it", at: child)
        return text
    }

    private mutating func texts(_ place: JSONPlace) -> StudyTexts {
        var texts = StudyTexts()
        texts.name = findings.plain("study_name", in: place)
        texts.instructions = findings.plain("instructions", in: place)
        texts.ethics = findings.plain("ethics", in: place)
        texts.nothingOpen = findings.plain("empty_msg", in: place)
        texts.contactEmail = findings.shown("support_email", in: place)
        texts.contactURL = findings.shown("support_url", in: place)
        texts.statement = findings.shown("pls", in: place)
        // Checked like the others, though nothing here shows a banner.
        _ = findings.shown("banner_url", in: place)
        return texts
    }

    private mutating func postURL(_ place: JSONPlace) -> String? {
        let url = PostAddress.trimmed(findings.shown("post_url", in: place))
        if let problem = PostAddress(url).problem {
            findings.warn("\(problem); enrol with --post-url ADDRESS", for: "post_url", in: place)
        }
        return url.isEmpty ? nil : url
    }

    private mutating func modules() -> [JSONPlace] {
        let places = findings.objects(findings.array("modules", of: "modules", in: root), "a module")
        guard places.count <= Self.maximumModules else {
            findings.expected(
                "at most \(Self.maximumModules) modules", at: root.member("modules") ?? root, found: "\(places.count)")
            return []
        }
        return places
    }

    /// A file of momenTUM has fields in `params`, a `_type` in every object, or modules with an
    /// `id` and no `uuid`.
    private func isMomentum(_ modules: [JSONPlace]) -> Bool {
        root.member("_type") != nil || root.member("properties")?.member("_type") != nil
            || modules.contains {
                $0.member("params") != nil || $0.member("_type") != nil
                    || ($0.member("uuid") == nil && $0.member("id") != nil)
            }
    }

    /// One module; nil where it cannot be run.
    private mutating func task(
        _ place: JSONPlace, index: Int, by reader: inout SchemaModuleReader, _ arms: inout SchemaArms
    ) -> StudyTask? {
        let before = findings.problems.count
        let arm = arms.arm(of: place, &findings)
        let task = reader.task(place, index: index, for: arm, &findings)
        guard findings.problems.count > before else { return task }
        arms.takeProblems(after: before, of: arm, from: &findings)
        return nil
    }
}
