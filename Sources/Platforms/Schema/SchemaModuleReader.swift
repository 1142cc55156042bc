// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads a study's modules, for `SchemaDecoder`, in the order of the file: the running numbers of a participant's
/// tasks (`TaskNumbers`) go through all of them.
struct SchemaModuleReader {
    private let names: SchemaModuleNames
    private let isMomentum: Bool
    private var schedules: SchemaScheduleReader
    private var formats: SchemaFormatReader
    /// From questions to those that they depend on, in all modules so far.
    private var linkCount = 0

    init(_ names: SchemaModuleNames, isMomentum: Bool, cachesMedia: Bool, options: StudyOptions) {
        self.names = names
        self.isMomentum = isMomentum
        schedules = SchemaScheduleReader(options: options)
        formats = SchemaFormatReader(cachesMedia: cachesMedia, leavesOutPhotos: options.leavesOutPhotos)
    }

    /// How many task numbers the modules read so far take, for participants of every arm together.
    var occurrences: Int { schedules.numbers.count }
    var media: [MediaReference] { formats.media }

    /// If it adds problems to `findings`, the result must not be used.
    mutating func task(
        _ place: JSONPlace, index: Int, for arm: SchemaArms.Arm, _ findings: inout Findings
    ) -> StudyTask {
        let wireName = findings.shown("name", in: place)
        let alerts = findings.object("alerts", in: place)
        let isSticky = alerts.map { findings.flag("sticky", in: $0) } ?? false
        let schedule = schedules.schedule(alerts, for: arm, isSticky: isSticky, &findings)
        let questionnaire =
            SchemaReactionTestReader.isReactionTest(place)
            ? SchemaReactionTestReader.questionnaire(place, &findings) : questionnaire(place, &findings)
        return StudyTask(
            key: names.keys[index], index: index, wireName: wireName, name: PlainText(html: wireName).text,
            prompt: PromptText(
                title: alerts.map { findings.plain("title", in: $0) } ?? "",
                message: alerts.map { findings.plain("message", in: $0) } ?? ""),
            condition: arm.name, schedule: schedule, unlocked: unlockAfter(place, &findings),
            isSticky: isSticky, listLabel: alerts.map { listLabel($0, &findings) } ?? "",
            content: questionnaire, graph: graph(place, questionnaire, &findings))
    }

    /// momenTUM's designer of 2025 has another key for it.
    private func listLabel(_ alerts: JSONPlace, _ findings: inout Findings) -> String {
        findings.plain(alerts.member("stickyLabel") == nil ? "sticky_label" : "stickyLabel", in: alerts)
    }

    /// The modules that have to be completed before this one can be opened: one for each id.
    private func unlockAfter(_ place: JSONPlace, _ findings: inout Findings) -> SchemaLock {
        guard place.member("unlock_after") != nil else { return SchemaLock(modules: []) }
        return SchemaLock(
            modules: findings.array("unlock_after", of: "texts", in: place).map { element in
                let found = names.modules(named: element)
                if found.isEmpty {
                    findings.warn(
                        "\(element.node.summary) is not the id of a module, so this module is never unlocked, as in the app",
                        at: element)
                }
                return found
            })
    }

    private mutating func questionnaire(_ place: JSONPlace, _ findings: inout Findings) -> Questionnaire {
        let holder = place.holder(of: "sections")
        let sections = findings.objects(findings.array("sections", of: "sections", in: holder), "a section")
        let questions = sections.map {
            findings.objects(findings.array("questions", of: "questions", in: $0), "a question")
        }
        let reader = SchemaQuestionReader(
            questions.flatMap(\.self), of: place, isMomentum: isMomentum, &formats, &findings)
        let before = linkCount
        let steps = questions.map { $0.compactMap { reader.step($0, &linkCount, &findings) } }
        if linkCount > max(before, SchemaBranchReader.mostLinks) {
            findings.expected(
                "at most \(SchemaBranchReader.mostLinks) links in the study from each question to all that it depends on",
                at: place, found: "more; shorten the rows in which each question depends on the one before")
        }
        return Questionnaire(
            sections: zip(sections, steps).map { section, steps in
                Section(
                    name: findings.plain("name", in: section), steps: steps,
                    shufflesSteps: findings.flag("shuffle", in: section))
            },
            shufflesSections: findings.flag("shuffle", in: place.holder(of: "shuffle")),
            submitText: submitText(place, &findings))
    }

    private func submitText(_ place: JSONPlace, _ findings: inout Findings) -> String {
        let holder = place.holder(of: "submit_text")
        if holder.member("submit_text") == nil, let other = holder.member("submit_txt") {
            findings.assume("`submit_txt` of the README is read as `submit_text`, which the app reads", at: other)
            return findings.plain("submit_txt", in: holder)
        }
        return findings.plain("submit_text", in: holder)
    }

    private func graph(
        _ place: JSONPlace, _ questionnaire: Questionnaire, _ findings: inout Findings
    ) -> GraphDescription? {
        guard let graph = place.member("graph") else { return nil }
        guard graph.isObject else {
            findings.expected("an object", at: graph)
            return nil
        }
        guard findings.flag("display", in: graph) else { return nil }
        let variable = findings.shown("variable", in: graph)
        // Of several questions of one id the app keeps the last one's answer.
        guard let question = questionnaire.steps.last(where: { $0.wireKey == variable })?.key else {
            findings.assume("no graph: `variable` is not a question in this module", for: "variable", in: graph)
            return nil
        }
        let points = graph.member("max_points") == nil ? 0 : findings.integer("max_points", 0...100_000, in: graph) ?? 0
        let kind = findings.shown("type", in: graph)
        if GraphDescription.Kind(rawValue: kind) == nil {
            findings.assume("\"\(kind)\" is drawn as bars; the app knows bar and line", for: "type", in: graph)
        }
        return GraphDescription(
            kind: GraphDescription.Kind(rawValue: kind) ?? .bar, question: question,
            title: findings.plain("title", in: graph), blurb: findings.plain("blurb", in: graph), maximumPoints: points)
    }
}
