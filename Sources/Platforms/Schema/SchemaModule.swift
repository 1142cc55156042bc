// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension SchemaDecoder {
    /// One module. Problems are noted; what is returned then is never handed out.
    mutating func module(_ place: JSONPlace, index: Int, arm: Arm, names: SchemaModuleNames) -> StudyTask {
        let wireName = shown("name", in: place)
        let alerts = object("alerts", in: place)
        let isSticky = alerts.map { findings.flag("sticky", in: $0) } ?? false
        let schedule = self.schedule(alerts, arm: arm, isSticky: isSticky)
        let questionnaire = isReactionTest(place) ? reactionTest(place) : self.questionnaire(place)
        return StudyTask(
            key: names.keys[index], index: index, wireName: wireName, name: PlainText(html: wireName).text,
            prompt: PromptText(
                title: alerts.map { plain("title", in: $0) } ?? "",
                message: alerts.map { plain("message", in: $0) } ?? ""),
            condition: arm.name, schedule: schedule, unlocked: unlockAfter(place, names: names),
            isSticky: isSticky, listLabel: alerts.map { plain(Self.stickyLabel(of: $0), in: $0) } ?? "",
            content: .questionnaire(questionnaire), graph: graph(place, questionnaire))
    }

    /// Newer momenTUM files put some of a module's fields into `params`.
    func inner(_ key: String, of place: JSONPlace) -> JSONPlace {
        guard let params = place.member("params"), params.member(key) != nil else { return place }
        return params
    }

    private mutating func object(_ key: String, in place: JSONPlace) -> JSONPlace? {
        guard let child = place.member(key) else {
            findings.missing(key, "an object", in: place)
            return nil
        }
        if !child.isObject { findings.expected("an object", at: child) }
        return child.isObject ? child : nil
    }

    enum Arm {
        case everyone
        case named(String)
        /// The app compares it with the participant's arm, and they are never the same. Its name
        /// is that of no arm.
        case nobody(String)

        var name: String? {
            switch self {
            case .everyone: nil
            case .named(let name), .nobody(let name): name
            }
        }
    }

    mutating func arm(of place: JSONPlace) -> Arm {
        guard let condition = place.member("condition") else {
            if conditions.isEmpty { return .everyone }
            findings.warn(
                "a module without a condition is never scheduled in a study that has conditions, as in the app; use \"*\"",
                for: "condition", in: place)
            return nobody("undefined")
        }
        if condition.text == "*" { return .everyone }
        guard let identity = condition.identity, let name = condition.shown, conditionIdentities.contains(identity)
        else {
            findings.warn(
                "\(condition.node.summary) is not one of the study's conditions; as in the app the module is never scheduled",
                at: condition)
            return nobody(condition.shown ?? "?")
        }
        return .named(name)
    }

    private func nobody(_ name: String) -> Arm {
        .nobody(conditions.contains(name) ? name + " (of another type)" : name)
    }

    private mutating func unlockAfter(_ place: JSONPlace, names: SchemaModuleNames) -> SchemaLock {
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

    private mutating func questionnaire(_ place: JSONPlace) -> Questionnaire {
        let holder = inner("sections", of: place)
        let sections = findings.objects(findings.array("sections", of: "sections", in: holder), "a section")
        let questions = sections.map {
            findings.objects(findings.array("questions", of: "questions", in: $0), "a question")
        }
        // Handed over and back, never held twice: what has been found so far would be copied
        // for every module.
        var decoder = SchemaDecoder(root, options: options)
        swap(&self, &decoder)
        var reading = SchemaQuestions(questions.flatMap(\.self), decoder: consume decoder)
        let steps = questions.map { $0.compactMap { reading.step($0) } }
        swap(&self, &reading.decoder)
        return Questionnaire(
            sections: zip(sections, steps).map { section, steps in
                Section(
                    name: plain("name", in: section), steps: steps,
                    shufflesSteps: findings.flag("shuffle", in: section))
            },
            shufflesSections: findings.flag("shuffle", in: inner("shuffle", of: place)), submitText: submitText(place))
    }

    private mutating func submitText(_ place: JSONPlace) -> String {
        let holder = inner("submit_text", of: place)
        if holder.member("submit_text") == nil, let other = holder.member("submit_txt") {
            findings.assume("`submit_txt` of the README is read as `submit_text`, which the app reads", at: other)
            return plain("submit_txt", in: holder)
        }
        return plain("submit_text", in: holder)
    }

    private mutating func graph(_ place: JSONPlace, _ questionnaire: Questionnaire) -> GraphDescription? {
        guard let graph = place.member("graph") else { return nil }
        guard graph.isObject else {
            findings.expected("an object", at: graph)
            return nil
        }
        guard findings.flag("display", in: graph) else { return nil }
        let variable = shown("variable", in: graph)
        // Of several questions of one id the app keeps the last one's answer.
        guard let question = questionnaire.steps.last(where: { $0.wireKey == variable })?.key else {
            findings.assume("no graph: `variable` is not a question in this module", for: "variable", in: graph)
            return nil
        }
        let points = graph.member("max_points") == nil ? 0 : findings.integer("max_points", 0...100_000, in: graph) ?? 0
        let kind = shown("type", in: graph)
        if GraphDescription.Kind(rawValue: kind) == nil {
            findings.assume("\"\(kind)\" is drawn as bars; the app knows bar and line", for: "type", in: graph)
        }
        return GraphDescription(
            kind: GraphDescription.Kind(rawValue: kind) ?? .bar, question: question,
            title: plain("title", in: graph), blurb: plain("blurb", in: graph), maximumPoints: points)
    }
}
